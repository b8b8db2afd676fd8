import { findLocation, locations } from '@/content/locations'
import { quickStart } from '@/content/requests'
import { paths } from '@/lib/paths'
import { timestamp, track } from '@/lib/analytics'
import { FormErrors, FormField, Honeypot, OfflineNote, SubmitButton } from './form-parts'
import { FormCard } from './form-page'
import { quickStartBody } from './quick-start-body'
import { quickStartForm } from './schemas/quick-start'
import { useForm } from './use-form'

const knownAreas = locations.map(({ key, displayName, stateAbbr }) => ({ value: key, label: `${displayName}, ${stateAbbr}` }))

/** `location`: the key from the address, '' for none; it stays chosen after a success. */
export function QuickStartForm({ location }: { location: string }) {
  const form = useForm({
    schema: quickStartForm,
    initial: location ? { location } : {},
    toBody: quickStartBody,
    failureTitle: 'Submission error',
    success: {
      title: 'Quick Start Request Submitted!',
      description: "Thank you! We'll contact you within 24 hours to set up your quick start service.",
    },
    sentPage: paths.sent.quickStart + (location ? `?${new URLSearchParams({ location })}` : ''),
    silentTrap: true,
    onFirstEdit: () => track('umw_quote_started', { form_type: 'quick_quote', timestamp: timestamp() }),
    onSuccess: (values) => {
      const body = quickStartBody(values)
      track('umw_quick_start_conversion', {
        form_type: 'quick_start',
        facility_type: String(values.facilityType),
        services: (body.services as string[]).join(','),
        pickup_frequency: String(body.pickupFrequency),
        estimated_volume: String(body.wasteVolume),
        currency: 'USD',
        value: Number(body.promotionAmount),
      })
    },
  })
  const areas = location && !findLocation(location) ? [...knownAreas, { value: location, label: location }] : knownAreas

  return (
    <FormCard title={quickStart.form.title} text={quickStart.form.text}>
      <form {...form.element} aria-label="Quick Start request" className="relative grid gap-5">
        <FormErrors form={form} />
        <div className="grid gap-5 sm:grid-cols-2">
          <FormField form={form} name="facilityName" />
          <FormField form={form} name="facilityType" />
          <FormField form={form} name="contactName" />
          <FormField form={form} name="email" />
          <FormField form={form} name="phone" />
          <FormField form={form} name="location" as="select" options={areas} />
        </div>
        <FormField form={form} name="message" />
        <Honeypot form={form} />
        <div className="mt-2">
          <OfflineNote form={form} />
          <SubmitButton form={form} label="Request Quick Start Service" busyLabel="Submitting..." wide />
        </div>
      </form>
    </FormCard>
  )
}
