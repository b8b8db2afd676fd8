import { contactSent } from '@/content/sent'
import { ContactForm } from './contact-form'
import { Sent } from './sent'

export default function ContactSentPage() {
  return <Sent content={contactSent} again={<ContactForm />} />
}
