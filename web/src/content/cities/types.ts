import type { Feature } from '@/parts/lists'
import type { ServiceCardContent } from '@/parts/service-card'
import type { Question } from '@/ui/accordion'
import type { CityKey } from '@/lib/paths'

export interface CityContent {
  key: CityKey
  seo: { title: string; description: string }
  /** 'in Boston', as it ends the headings. */
  where: string
  lead: string
  cards: readonly ServiceCardContent[]
  why: { title: string; features: readonly Feature[] }
  questions: readonly Question[]
  cta: { title: string; text: string }
}

/** Said in every city: who the small monthly service is for. */
export const quickStartAnswer =
  'Yes. Quick Start is a monthly pickup with all containers provided, set up within 48 hours, without a setup fee or a long-term contract. It suits practices with one or two boxes a month.'
