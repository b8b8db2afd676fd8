import { contact } from '@/content/requests'
import { paths } from '@/lib/paths'
import { timestamp, track } from '@/lib/analytics'
import { EmergencyNote, FormErrors, FormField, Honeypot, OfflineNote, SubmitButton } from './form-parts'
import { FormCard } from './form-page'
import { contactForm } from './schemas/contact'
import { useForm } from './use-form'

export function ContactForm() {
  const form = useForm({
    schema: contactForm,
    failureTitle: 'Submission error',
    sentPage: paths.sent.contact,
    success: { title: 'Message Sent!', description: "Thank you for contacting us. We'll respond within 24 hours." },
    onSubmit: ({ priority }) => {
      if (priority === 'emergency') track('umw_emergency_request', { priority: 'emergency', timestamp: timestamp() })
    },
    onSuccess: ({ priority, subject }) => track('contact', { form_type: 'contact_form', priority_level: String(priority), subject: String(subject) }),
  })
  return (
    <FormCard title={contact.form.title} text={contact.form.text}>
      <form {...form.element} aria-label="Schedule a pickup" className="relative grid gap-5">
        <FormErrors form={form} />
        {form.values.priority === 'emergency' ? <EmergencyNote /> : null}
        <FormField form={form} name="priority" as="radios" />
        <div className="grid gap-5 sm:grid-cols-2">
          <FormField form={form} name="name" />
          <FormField form={form} name="email" />
          <FormField form={form} name="phone" />
          <FormField form={form} name="company" />
        </div>
        <FormField form={form} name="subject" />
        <FormField form={form} name="message" />
        <Honeypot form={form} />
        <div className="mt-2">
          <OfflineNote form={form} />
          <SubmitButton form={form} label="Send Message" busyLabel="Sending..." wide />
        </div>
      </form>
    </FormCard>
  )
}
