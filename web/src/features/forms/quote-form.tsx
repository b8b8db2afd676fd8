import { timestamp, track } from '@/lib/analytics'
import { toast } from '@/ui/toast-store'
import { FormChoices, FormField, Honeypot, OfflineNote, SubmitButton } from './form-parts'
import { FormCard, FormSection } from './form-page'
import type { Values } from './schema'
import { quoteForm } from './schemas/quote'
import { useForm } from './use-form'

const text = (values: Values, name: string) => String(values[name] ?? '')

export function QuoteForm() {
  const form = useForm({
    schema: quoteForm,
    failureTitle: 'Submission error',
    success: {
      title: 'Quote Request Submitted!',
      description: "Thank you for your request. We'll contact you within 24 hours with a customized quote.",
    },
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
        <FormSection title="Your facility">
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
        </FormSection>
        <FormSection title="Who we should answer">
          <FormField form={form} name="contactName" />
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField form={form} name="email" />
            <FormField form={form} name="phone" />
          </div>
        </FormSection>
        <FormSection title="What you need">
          <FormChoices
            form={form}
            name="services"
            legend="Services"
            onToggle={(service, checked) => track('select_content', { content_type: 'service', item_id: service, action: checked ? 'selected' : 'deselected' })}
          />
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField form={form} name="wasteVolume" hint="Boxes or containers filled between pickups." />
            <FormField form={form} name="pickupFrequency" />
            <FormField form={form} name="employeeCount" />
          </div>
        </FormSection>
        <FormSection title="Good to know">
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField form={form} name="currentProvider" />
            <FormField form={form} name="contactPriority" />
          </div>
        </FormSection>
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
