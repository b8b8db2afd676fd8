/** The tinted bands of the service cards: one drawing per service. */
import capsules from '@/art/pattern-capsules.svg'
import hexagons from '@/art/pattern-hexagons.svg'
import ledger from '@/art/pattern-ledger.svg'
import points from '@/art/pattern-points.svg'
import ripples from '@/art/pattern-ripples.svg'
import strips from '@/art/pattern-strips.svg'
import waves from '@/art/pattern-waves.svg'

export const patterns = { capsules, hexagons, ledger, points, ripples, strips, waves }

export type PatternName = keyof typeof patterns
