import { expect, test } from 'vitest'
import { diffWords } from './diff'

const marked = (before: string, after: string) =>
  diffWords(before, after).map(({ kind, text }) => ({ same: text, added: `+[${text}]`, removed: `-[${text}]` })[kind]).join('')

test.each([
  ['nothing', 'a b c', 'a b c', 'a b c'],
  ['a word', 'one two three', 'one 2 three', 'one -[two ]+[2 ]three'],
  ['an addition', 'one three', 'one two three', 'one +[two ]three'],
  ['a removal at the end', 'one two', 'one', '-[one two]+[one]'],
  ['several places', 'a b c d e', 'a x c d y', 'a -[b ]+[x ]c d -[e]+[y]'],
  ['all of it', '', 'new text', '+[new text]'],
])('shows %s', (_title, before, after, expected) => expect(marked(before, after)).toBe(expected))

test('both texts can be read from the changes, however long', () => {
  const before = Array.from({ length: 3000 }, (_, index) => `word${(index * 7919) % 611}`).join(' ')
  const after = Array.from({ length: 3000 }, (_, index) => `word${(index * 104_729) % 577}`).join('\n')
  const changes = diffWords(before, after)
  const read = (kind: string) => changes.filter((change) => change.kind !== kind).map(({ text }) => text).join('')
  expect(read('added')).toBe(before)
  expect(read('removed')).toBe(after)
})
