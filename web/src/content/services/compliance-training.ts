import { paths } from '@/lib/paths'
import type { ServiceContent } from './types'

export const complianceTraining: ServiceContent = {
  name: 'Compliance Training',
  path: paths.complianceTraining,
  seo: {
    title: 'Healthcare Compliance Training: OSHA, HIPAA, DOT, RCRA',
    description: 'Online and on-site compliance training for healthcare staff in New England: OSHA, HIPAA, DOT, RCRA and bloodborne pathogens, with certificates.',
  },
  title: 'Training that is done, dated and easy to prove.',
  lead: 'Short courses on the five subjects every healthcare employer is asked about, with certificates on file and a reminder before each one lapses.',
  notes: ['Online, any shift', 'On-site by request', 'Records for every employee'],
  streams: {
    title: 'Five subjects, one record',
    lead: 'Assign by role: a receptionist needs HIPAA, the person who signs for the waste needs DOT, and nearly everyone clinical needs bloodborne pathogens.',
    features: [
      { icon: 'shield', title: 'Bloodborne pathogens', text: 'Annual training for every employee with occupational exposure: transmission, controls, sharps, vaccination, and what to do after a needlestick.' },
      { icon: 'care', title: 'OSHA', text: 'Hazard communication and safety data sheets, personal protective equipment, exit routes and the written plans that go with them.' },
      { icon: 'lock', title: 'HIPAA', text: 'Privacy, security and breach basics for all staff, and disposal of paper and media that hold patient information.' },
      { icon: 'truck', title: 'DOT', text: 'General awareness, function-specific, safety and security training for those who package waste or sign shipping papers.' },
      { icon: 'flask', title: 'RCRA', text: 'Hazardous waste for healthcare: what counts, containers and labels, generator categories, Subpart P and emergency procedures.' },
      { icon: 'people', title: 'On-site sessions', text: 'A trainer in your break room for new buildings, new services, or after an incident. Any of the five subjects, any shift.' },
    ],
  },
  steps: {
    title: 'How it runs',
    lead: 'Set up in a day, then mostly it reminds people for you.',
    items: [
      { title: 'List your staff', text: 'Names, roles and start dates. We propose which course each person needs and why.' },
      { title: 'Learn', text: 'Modules of 20 to 45 minutes in the portal, paused and resumed at will, with a short test at the end.' },
      { title: 'Certify', text: 'A dated certificate for each person and course, with the content outline and trainer’s qualifications that OSHA asks for.' },
      { title: 'Renew', text: 'Employee and manager hear from us before a course lapses. The record shows who is current on any day.' },
    ],
  },
  rules: {
    title: 'Who needs what, and how often',
    lead: 'The intervals inspectors check first.',
    items: [
      { code: '29 CFR 1910.1030(g)(2)', name: 'Bloodborne pathogens', text: 'At assignment and at least once a year, during working hours and at no cost to the employee. Training records are kept for three years.' },
      { code: '29 CFR 1910.1200(h)', name: 'Hazard communication', text: 'At assignment and whenever a new chemical hazard is introduced.' },
      { code: '45 CFR 164.530(b)', name: 'HIPAA privacy', text: 'Each new member of the workforce within a reasonable time, and again when policies change. Documentation is kept for six years.' },
      { code: '49 CFR 172.704', name: 'DOT hazmat employees', text: 'Within 90 days of taking the job, under supervision until then, and at least every three years after.' },
      { code: '40 CFR 262.16 and 262.17', name: 'RCRA generators', text: 'Small quantity generators make staff thoroughly familiar with waste handling and emergencies; large quantity generators keep a training program with an annual review.' },
    ],
  },
  included: {
    title: 'What you get',
    lead: 'Priced by headcount, with waste customers at a lower rate.',
    items: ['All five courses online', 'Certificate for each course', 'Renewal reminders by e-mail', 'Record by employee and by date', 'Exposure control plan template', 'Answers from a person', 'New-hire onboarding link', 'Export for inspectors'],
  },
  questions: [
    { question: 'How long does a course take?', answer: 'Between 20 and 45 minutes including the test. Bloodborne pathogens is the longest because the standard lists fourteen topics that have to be covered.' },
    { question: 'Does online training satisfy OSHA?', answer: 'Yes, if employees can ask questions of a knowledgeable person during the session. Ours can: questions go to a trainer by phone or message while the course is open.' },
    { question: 'Who needs DOT training in a small practice?', answer: 'Whoever closes and labels the box or signs the shipping paper. That is often one or two people, and the training is due within 90 days of taking over the task and every three years after.' },
    { question: 'Can we bring our own staff list?', answer: 'Yes. Send a spreadsheet, or add people one by one. Start dates and earlier certificates can be included so that nobody repeats a course that is still current.' },
    { question: 'Where are the certificates?', answer: 'In the customer portal, by employee and by course, around the clock. You can hand an inspector a printed list or the screen.' },
  ],
  cta: { title: 'See what your team needs', text: 'Choose Compliance Training in the quote form and tell us your headcount. The answer lists a course for each role.' },
}
