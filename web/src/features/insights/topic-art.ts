/** A drawing and a sign for articles without a picture of their own, by what they are about. */
import { type PatternName, patterns } from '@/parts/patterns'
import type { IconName } from '@/ui/icon'

export interface TopicArt {
  /** Address of the drawing. */
  drawing: string
  icon: IconName
}

const art = (pattern: PatternName, icon: IconName): TopicArt => ({ drawing: patterns[pattern], icon })

/** By words that stand in a tag. The server has the same table from the build. */
export const TOPIC_ART: readonly (TopicArt & { words: readonly string[] })[] = [
  { words: ['dental'], ...art('teeth', 'stethoscope') },
  { words: ['veterinary'], ...art('paws', 'paw') },
  { words: ['sharps', 'needle'], ...art('points', 'sharps') },
  { words: ['chemo', 'hazard', 'rcra'], ...art('flasks', 'flask') },
  { words: ['pharma', 'controlled', 'drug'], ...art('capsules', 'pill') },
  { words: ['hipaa', 'shred', 'record'], ...art('strips', 'document') },
  { words: ['audit', 'cost'], ...art('ledger', 'clipboard') },
  { words: ['emergency', 'spill'], ...art('ripples', 'siren') },
  { words: ['dot', 'packaging', 'transport', 'winter'], ...art('waves', 'truck') },
  { words: ['care', 'clinic'], ...art('hearts', 'heart') },
  { words: ['training'], ...art('calendar', 'training') },
  { words: ['state', 'maine', 'hampshire', 'vermont', 'massachusetts', 'rhode', 'connecticut'], ...art('borders', 'government') },
  { words: ['osha', 'bloodborne'], ...art('ripples', 'shield') },
]

export const OTHER_ART = art('hexagons', 'waste')

/** An author names first what an article is about: the first tag that says something decides. */
export function artFor(tags: readonly string[]): TopicArt {
  for (const tag of tags.map((name) => name.toLowerCase())) {
    const found = TOPIC_ART.find(({ words }) => words.some((word) => tag.includes(word)))
    if (found) return found
  }
  return OTHER_ART
}
