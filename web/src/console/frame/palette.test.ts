import { expect, test } from 'vitest'
import { type Command, matching } from './palette'

const commands: Command[] = ['Table editor', 'SQL editor', 'public.tables_of_rates'].map((name) => ({ name, kind: 'Go to', run: () => undefined }))

test('a command is found by every word that was typed, in any order', () => {
  expect(matching(commands, 'editor sql').map(({ name }) => name)).toEqual(['SQL editor'])
})

test('what begins with the first word comes first', () => {
  expect(matching(commands, 'table').map(({ name }) => name)).toEqual(['Table editor', 'public.tables_of_rates'])
})

test('no word finds all, up to the limit', () => {
  expect(matching(commands, '', 2)).toHaveLength(2)
})
