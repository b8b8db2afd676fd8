import { expect, test } from 'vitest'
import { measuresOf, versionFor } from './pictures'

const folder = '/storage/v1/object/public/pictures/red-bags-1a2b3c4d/'

test('an uploaded picture says how large it is and which versions there are', () => {
  expect(measuresOf(`${folder}1600x900.webp`)).toEqual({
    width: '1600',
    height: '900',
    srcset: `${folder}480.webp 480w, ${folder}960.webp 960w, ${folder}1440.webp 1440w, ${folder}1600x900.webp 1600w`,
    sizes: '(max-width: 48rem) 100vw, 46rem',
  })
  expect(measuresOf(`${folder}480x300.png`)).toEqual({ width: '480', height: '300' })
  expect(measuresOf(`${folder}1600x900.gif`)).toEqual({ width: '1600', height: '900' })
  expect(measuresOf(`https://project.example${folder}500x2.jpg`)?.srcset).toMatch(/^https:\/\/project\.example.*480\.jpg 480w, /)
})

test.each(['/a.png', `${folder}480.webp`, `${folder}0x9.webp`, `${folder}1x1.svg`, `${folder}x/1x1.png`, `${folder}1x1.png?a`, `https://a.example 1w,${folder}900x9.png`, '/object/public/pictures/a b/1x1.png'])(
  'nothing is made up about %s',
  (address) => {
    expect(measuresOf(address)).toBeNull()
    expect(versionFor(address, 400)).toBe(address)
  },
)

test('the smallest version that is wide enough is chosen', () => {
  expect(versionFor(`${folder}1600x900.webp`, 400)).toBe(`${folder}480.webp`)
  expect(versionFor(`${folder}1600x900.webp`, 500)).toBe(`${folder}960.webp`)
  expect(versionFor(`${folder}700x900.webp`, 500)).toBe(`${folder}700x900.webp`)
  expect(versionFor(`${folder}1600x900.gif`, 500)).toBe(`${folder}1600x900.gif`)
})
