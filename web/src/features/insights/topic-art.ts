/** A drawing and a sign for articles without a picture of their own, by what they are about. */
import { type PatternName, patterns } from '@/parts/patterns'
import type { IconName } from '@/ui/icon'

export interface TopicArt {
  /** Address of the drawing. */
  drawing: string
  icon: IconName
}

const art = (pattern: PatternName, icon: IconName): TopicArt => ({ drawing: patterns[pattern], icon })

/** The first topic one of whose words stands in a tag wins; rarer subjects come first. The server has the same table from the build. */
export const TOPIC_ART: readonly (TopicArt & { words: readonly string[] })[] = [
  { words: ['sharps', 'needle'], ...art('points', 'sharps') },
  { words: ['chemo', 'hazard', 'rcra'], ...art('capsules', 'flask') },
  { words: ['pharma', 'controlled', 'drug'], ...art('capsules', 'pill') },
  { words: ['hipaa', 'shred', 'record'], ...art('strips', 'document') },
  { words: ['audit', 'cost'], ...art('ledger', 'clipboard') },
  { words: ['emergency', 'spill'], ...art('ripples', 'siren') },
  { words: ['dot', 'packaging', 'transport', 'winter'], ...art('waves', 'truck') },
  { words: ['dental', 'veterinary', 'care', 'clinic'], ...art('hexagons', 'stethoscope') },
  { words: ['training'], ...art('ripples', 'training') },
  { words: ['state', 'maine', 'hampshire', 'vermont', 'massachusetts', 'rhode', 'connecticut'], ...art('waves', 'government') },
  { words: ['osha', 'bloodborne', 'compliance'], ...art('ripples', 'shield') },
]

export const OTHER_ART = art('hexagons', 'waste')

export function artFor(tags: readonly string[]): TopicArt {
  const lower = tags.map((tag) => tag.toLowerCase())
  return TOPIC_ART.find(({ words }) => words.some((word) => lower.some((tag) => tag.includes(word)))) ?? OTHER_ART
}
