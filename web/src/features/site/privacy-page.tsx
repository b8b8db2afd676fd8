import { privacy } from '@/content/policies'
import { paths } from '@/lib/paths'
import { Policy } from './policy'

export default function PrivacyPage() {
  return <Policy path={paths.privacy} content={privacy} />
}
