import { accessibility } from '@/content/policies'
import { paths } from '@/lib/paths'
import { Policy } from './policy'

export default function AccessibilityPage() {
  return <Policy path={paths.accessibility} content={accessibility} />
}
