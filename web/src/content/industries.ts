import type { IconName } from '@/ui/icon'

export interface Industry {
  icon: IconName
  title: string
  text: string
  points: readonly string[]
  /** The facility type of a quote, where the sector is one of them. */
  facilityType?: string
}

export const industries = {
  seo: {
    title: 'Industries We Serve',
    description: 'Waste and compliance programs for hospitals, outpatient practices, labs, long-term care, dental, veterinary and government facilities.',
  },
  title: 'Your kind of building has its own kind of waste.',
  lead: 'Six sectors, six different mixes of containers, schedules and rules. Each program starts from the rooms you actually have.',
  sectors: [
    {
      icon: 'hospital',
      facilityType: 'hospital',
      title: 'Hospitals & Surgical Centers',
      text: 'High volume, many streams, and a dock that is busy at six in the morning.',
      points: ['Reusable tub exchange by department', 'Pathological and trace chemotherapy streams', 'Pharmaceutical program under Subpart P', 'Diversion figures by unit, monthly'],
    },
    {
      icon: 'stethoscope',
      facilityType: 'medical-practice',
      title: 'Medical & Outpatient Practices',
      text: 'From a single practitioner to a multi-site group, priced by the stop and not by the year.',
      points: ['Monthly or quarterly box pickups', 'Sharps containers by exam room', 'One invoice for all sites', 'Annual OSHA and HIPAA training'],
    },
    {
      icon: 'microscope',
      facilityType: 'laboratory',
      title: 'Research & Laboratories',
      text: 'Cultures, stocks, animal tissue and a safety officer who reads the manifest.',
      points: ['Biohazard waste from BSL-1 and BSL-2 rooms', 'Carboys, tubs and cold-room pickups', 'Chemical streams kept separate', 'Lab-specific DOT and RCRA training'],
    },
    {
      icon: 'care',
      facilityType: 'long-term-care',
      title: 'Long-term Care & Senior Living',
      text: 'Few sharps, many medications, and staff who change often.',
      points: ['Medication disposal when residents leave', 'Sharps for insulin and injections', 'Onboarding course for new aides', 'Quarterly or on-call pickups'],
    },
    {
      icon: 'paw',
      facilityType: 'other',
      title: 'Dental & Veterinary',
      text: 'Small storage, short hours, and waste that is easy to put in the wrong bin.',
      points: ['One-box monthly Quick Start service', 'Extracted teeth and amalgam kept apart', 'Animal tissue and vaccine vials', 'Pickups around your appointment book'],
    },
    {
      icon: 'government',
      facilityType: 'government-facility',
      title: 'Government & Public Health',
      text: 'Clinics, corrections, fire and police, schools and vaccination sites.',
      points: ['Service under purchase orders and state terms', 'Sharps collection for the public', 'Evidence and scene cleanup support', 'Surge capacity for clinics'],
    },
  ] satisfies Industry[],
  cta: { title: 'Not sure which program fits?', text: 'Most facilities are a mixture. Tell us what you do and we propose containers and a schedule in writing.' },
}
