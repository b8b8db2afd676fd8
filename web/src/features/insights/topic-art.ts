/** A drawing and a sign for articles without a picture of their own, by what they are about. */
import { type PatternName, patterns } from '@/parts/patterns'
import type { IconName } from '@/ui/icon'

interface Art {
  pattern: PatternName
  icon: IconName
}

/** The first topic whose words a tag contains wins; rarer subjects come first. */
const TOPICS: readonly [RegExp, Art][] = [
  [/sharps|needle/i, { pattern: 'points', icon: 'sharps' }],
  [/chemo|hazard|rcra/i, { pattern: 'capsules', icon: 'flask' }],
  [/pharma|controlled|drug/i, { pattern: 'capsules', icon: 'pill' }],
  [/hipaa|shred|record/i, { pattern: 'strips', icon: 'document' }],
  [/audit|cost/i, { pattern: 'ledger', icon: 'clipboard' }],
  [/emergency|spill/i, { pattern: 'ripples', icon: 'siren' }],
  [/dot|packaging|transport|winter/i, { pattern: 'waves', icon: 'truck' }],
  [/dental|veterinary|care|clinic/i, { pattern: 'hexagons', icon: 'stethoscope' }],
  [/training/i, { pattern: 'ripples', icon: 'training' }],
  [/state|maine|hampshire|vermont|massachusetts|rhode|connecticut/i, { pattern: 'waves', icon: 'government' }],
  [/osha|bloodborne|compliance/i, { pattern: 'ripples', icon: 'shield' }],
]

const OTHER: Art = { pattern: 'hexagons', icon: 'waste' }

export function artFor(tags: readonly string[]): { drawing: string; icon: IconName } {
  const { pattern, icon } = TOPICS.find(([words]) => tags.some((tag) => words.test(tag)))?.[1] ?? OTHER
  return { drawing: patterns[pattern], icon }
}
