import { expect, test } from 'vitest'
import { arrayLiteral, containsText } from './search-filter'

/** What the table API does with `or=(…)`: splits conditions, unquotes values, then LIKE or a regular expression. */
function matches(filter: string, row: Record<string, string>): boolean {
  const condition = /(\w+)\.(ilike|imatch)\."((?:[^"\\]|\\.)*)"(?:,|$)/gsy
  let found = false
  let end = 0
  for (let match = condition.exec(filter); match; match = condition.exec(filter)) {
    const [, column = '', operator, escaped = ''] = match
    const pattern = escaped.replace(/\\(.)/gs, '$1')
    const regex = operator === 'ilike' ? likeToRegex(pattern.replaceAll('*', '%')) : new RegExp(pattern, 'is')
    found ||= regex.test(row[column] ?? '')
    end = condition.lastIndex
  }
  if (end !== filter.length) throw new Error(`not a filter: ${filter}`)
  return found
}

function likeToRegex(pattern: string): RegExp {
  const source = pattern.replace(/\\(.)|([%_])|([^])/gs, (_all, literal?: string, wild?: string, char?: string) => {
    if (wild) return wild === '%' ? '.*' : '.'
    return (literal ?? char ?? '').replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  })
  return new RegExp(`^${source}$`, 'is')
}

const columns = ['title', 'excerpt']

test.each([
  ['plain words', 'Sharps', 'title.ilike."%Sharps%",excerpt.ilike."%Sharps%"'],
  ['a percent sign', '100%', 'title.ilike."%100\\\\%%",excerpt.ilike."%100\\\\%%"'],
  ['a quote', 'the "red bag"', 'title.ilike."%the \\"red bag\\"%",excerpt.ilike."%the \\"red bag\\"%"'],
  ['commas and parentheses', 'a,b (c)', 'title.ilike."%a,b (c)%",excerpt.ilike."%a,b (c)%"'],
  ['an asterisk', '5*', 'title.imatch."5\\\\*",excerpt.imatch."5\\\\*"'],
])('%s', (_title, text, filter) => {
  expect(containsText(columns, text)).toBe(filter)
})

test('any text finds a row that contains it and no row that does not', () => {
  const alphabet = [...'aB1 "\',().%_*\\{}[]^$|?+&=#/:;-<>~é–😀', '\n', '\t', 'or=', 'title.eq.']
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const text = (length: number) => Array.from({ length }, () => alphabet[random(alphabet.length)]).join('')
  for (let round = 0; round < 3000; round += 1) {
    const wanted = text(1 + random(8))
    const filter = containsText(columns, wanted)
    expect(matches(filter, { title: `before ${wanted.toUpperCase()} after`, excerpt: '' }), wanted).toBe(true)
    const other = text(12)
    const contains = other.toLowerCase().includes(wanted.toLowerCase())
    expect(matches(filter, { title: '', excerpt: other }), `${wanted} in ${other}`).toBe(contains)
  }
})

test('array literals keep commas, braces, quotes and backslashes inside their texts', () => {
  expect(arrayLiteral(['OSHA', 'a,b', '{x}', 'say "hi"', 'back\\slash'])).toBe('{"OSHA","a,b","{x}","say \\"hi\\"","back\\\\slash"}')
})
