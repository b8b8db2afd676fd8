import { track } from '@/lib/analytics'
import { FormField, Honeypot, OfflineNote, ScriptNote, SubmitButton } from './form-parts'
import { newsletterForm } from './schemas/newsletter'
import { useForm } from './use-form'

/** On the dark footer of every page. */
export default function NewsletterForm() {
  const form = useForm({
    schema: newsletterForm,
    keepDraft: false,
    failureTitle: 'Subscription failed',
    success: { title: 'Successfully Subscribed!', description: 'Thank you for subscribing to our newsletter.' },
    onSuccess: () => track('sign_up', { method: 'newsletter', source: 'footer' }),
  })
  return (
    <form {...form.element} aria-label="Newsletter" className="relative grid grid-cols-2 gap-4 rounded-lg bg-white p-5 text-ink sm:p-6">
      <ScriptNote />
      <FormField form={form} name="firstName" />
      <FormField form={form} name="lastName" />
      <div className="col-span-2">
        <OfflineNote form={form} />
        <div className="grid items-start gap-4 sm:grid-cols-[1fr_auto]">
          <FormField form={form} name="email" />
          <div className="sm:pt-7">
            <SubmitButton form={form} label="Subscribe" busyLabel="Subscribing..." variant="primary" wide />
          </div>
        </div>
      </div>
      <Honeypot form={form} />
    </form>
  )
}
