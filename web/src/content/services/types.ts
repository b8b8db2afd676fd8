import type { Feature, Rule, Step } from '@/parts/lists'
import type { Question } from '@/ui/accordion'

export interface ServiceContent {
  /** Short name for trails and analytics. */
  name: string
  path: string
  seo: { title: string; description: string }
  title: string
  lead: string
  notes: readonly string[]
  streams: { title: string; lead: string; features: readonly Feature[] }
  steps: { title: string; lead: string; items: readonly Step[] }
  rules: { title: string; lead: string; items: readonly Rule[] }
  included: { title: string; lead: string; items: readonly string[] }
  questions: readonly Question[]
  cta: { title: string; text: string }
}
