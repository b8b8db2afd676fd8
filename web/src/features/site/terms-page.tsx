import { terms } from '@/content/policies'
import { paths } from '@/lib/paths'
import { Policy } from './policy'

export default function TermsPage() {
  return <Policy path={paths.terms} content={terms} />
}
