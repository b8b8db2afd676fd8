import { useLocation } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { timestamp, track } from '@/lib/analytics'
import { toast } from '@/ui/toast-store'
import { EmergencyNote, FormChoices, FormErrors, FormField, Honeypot, OfflineNote, SubmitButton } from './form-parts'
import { FormCard } from './form-page'
import { type Values, fieldOf } from './schema'
import { quoteForm } from './schemas/quote'
import { FormStep, type Step, StepProgress } from './steps'
import { useForm } from './use-form'

const STEPS: readonly Step[] = [
  { id: 'step-facility', title: 'Your facility', fields: ['facilityName', 'facilityType', 'address', 'city', 'state', 'zipCode'] },
  { id: 'step-waste', title: 'What you need', fields: ['services', 'wasteVolume', 'pickupFrequency', 'employeeCount', 'currentProvider'] },
  { id: 'step-contact', title: 'Who we should answer', fields: ['contactName', 'email', 'phone', 'contactPriority'] },
]

/** What the button that led here was about. */
function wishOf(state: unknown): Values {
  const { facilityType, service } = (state ?? {}) as { facilityType?: unknown; service?: unknown }
  const isOption = (name: string, value: unknown) => fieldOf(quoteForm, name).options?.some((option) => option.value === value) === true
  return { ...(isOption('facilityType', facilityType) && { facilityType }), ...(isOption('services', service) && { services: [service] }) }
}

const text = (values: Values, name: string) => String(values[name] ?? '')

export function QuoteForm() {
  const { state } = useLocation()
  const form = useForm({
    schema: quoteForm,
    initial: wishOf(state),
    keepInitial: true,
    failureTitle: 'Submission error',
    success: {
      title: 'Quote Request Submitted!',
      description: "Thank you for your request. We'll contact you within 24 hours with a customized quote.",
    },
    sentPage: paths.sent.quote,
    silentTrap: true,
    onFirstEdit: () => track('umw_quote_started', { form_type: 'full_quote', timestamp: timestamp() }),
    onInvalid: (errors) => {
      if (errors.services) toast({ title: 'Services Required', description: 'Please select at least one service.', variant: 'destructive' })
    },
    onSuccess: (values) =>
      track('generate_lead', {
        form_type: 'quote_request',
        facility_type: text(values, 'facilityType'),
        services: (values.services as string[]).join(','),
        pickup_frequency: text(values, 'pickupFrequency'),
        estimated_volume: text(values, 'wasteVolume'),
        currency: 'USD',
      }),
  })

  return (
    <FormCard title="Request your quote" text="It takes about three minutes. What you type is kept in this tab until it is sent.">
      <form {...form.element} aria-label="Quote request" className="relative grid gap-9">
        <FormErrors form={form} />
        <StepProgress form={form} steps={STEPS} />
        <FormStep form={form} steps={STEPS} index={0}>
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField form={form} name="facilityName" />
            <FormField form={form} name="facilityType" />
          </div>
          <FormField form={form} name="address" />
          <div className="grid gap-5 sm:grid-cols-[2fr_2fr_1fr]">
            <FormField form={form} name="city" />
            <FormField form={form} name="state" />
            <FormField form={form} name="zipCode" />
          </div>
        </FormStep>
        <FormStep form={form} steps={STEPS} index={1}>
          <FormChoices
            form={form}
            name="services"
            legend="Services"
            onToggle={(service, checked) => track('select_content', { content_type: 'service', item_id: service, action: checked ? 'selected' : 'deselected' })}
          />
          {(form.values.services as string[]).includes('emergency') ? <EmergencyNote /> : null}
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField form={form} name="wasteVolume" hint="Boxes or containers filled between pickups." />
            <FormField form={form} name="pickupFrequency" />
            <FormField form={form} name="employeeCount" />
            <FormField form={form} name="currentProvider" />
          </div>
        </FormStep>
        <FormStep form={form} steps={STEPS} index={2}>
          <FormField form={form} name="contactName" />
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField form={form} name="email" />
            <FormField form={form} name="phone" />
            <FormField form={form} name="contactPriority" />
          </div>
        </FormStep>
        <Honeypot form={form} />
        <div className="border-t border-granite-200 pt-7">
          <OfflineNote form={form} />
          <SubmitButton form={form} label="Submit Quote Request" busyLabel="Submitting..." wide />
          <p className="mt-4 text-center text-xs text-granite-600">We answer within 24 hours and use your details for nothing else.</p>
        </div>
      </form>
    </FormCard>
  )
}
