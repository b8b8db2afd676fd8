import { useSearchParams } from 'react-router-dom'
import { quickStartSent } from '@/content/sent'
import { QuickStartForm } from './quick-start-form'
import { Sent } from './sent'

export default function QuickStartSentPage() {
  const location = useSearchParams()[0].get('location') ?? ''
  return <Sent content={quickStartSent} again={<QuickStartForm key={location} location={location} />} />
}
