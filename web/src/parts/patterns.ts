/** The tinted bands of the service cards: one drawing per service. */
import borders from '@/art/pattern-borders.svg'
import calendar from '@/art/pattern-calendar.svg'
import capsules from '@/art/pattern-capsules.svg'
import flasks from '@/art/pattern-flasks.svg'
import hearts from '@/art/pattern-hearts.svg'
import hexagons from '@/art/pattern-hexagons.svg'
import ledger from '@/art/pattern-ledger.svg'
import paws from '@/art/pattern-paws.svg'
import points from '@/art/pattern-points.svg'
import ripples from '@/art/pattern-ripples.svg'
import strips from '@/art/pattern-strips.svg'
import teeth from '@/art/pattern-teeth.svg'
import waves from '@/art/pattern-waves.svg'

export const patterns = { borders, calendar, capsules, flasks, hearts, hexagons, ledger, paws, points, ripples, strips, teeth, waves }

export type PatternName = keyof typeof patterns
