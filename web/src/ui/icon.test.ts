import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const sprite = readFileSync('src/ui/icons.svg', 'utf8')

test('every icon that the type allows is in the sprite', () => {
  const [type = ''] = readFileSync('src/ui/icon.tsx', 'utf8').split('/** Decorative')
  const names = [...type.matchAll(/'([a-z]+)'/g)].map((match) => match[1])
  expect(names.length).toBeGreaterThan(30)
  for (const name of names) expect(sprite).toContain(`<symbol id="${name}"`)
})
