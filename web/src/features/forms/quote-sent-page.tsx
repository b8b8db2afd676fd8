import { quoteSent } from '@/content/sent'
import { QuoteForm } from './quote-form'
import { Sent } from './sent'

export default function QuoteSentPage() {
  return <Sent content={quoteSent} again={<QuoteForm />} />
}
