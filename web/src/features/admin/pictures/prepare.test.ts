import { expect, test } from 'vitest'
import { MOST_BYTES, faultOf, fetched, fitted, folderOf } from './prepare'

const file = (name: string, type: string, size = 10) => ({ name, type, size })

test.each([
  [file('a.jpg', 'image/jpeg'), null],
  [file('a.png', 'image/png', MOST_BYTES), null],
  [file('a.png', 'image/png', MOST_BYTES + 1), /10\.0 MB\. A picture can have at most 10\.0 MB/],
  [file('a.png', 'image/png', 0), /empty/],
  [file('a.svg', 'image/svg+xml'), /SVG/],
  [file('IMG_1.HEIC', ''), /HEIC/],
  [file('a.pdf', 'application/pdf'), /JPEG, PNG, WebP/],
  [file('a', ''), /JPEG, PNG, WebP/],
])('%o is judged before it is read', (given, message) => {
  const fault = faultOf(given)
  if (message === null) expect(fault).toBeNull()
  else expect(fault).toMatch(message)
})

test('a picture lies under its name and one of its own', () => {
  expect(folderOf('Red Bags (2).JPG')).toMatch(/^red-bags-2-[0-9a-f]{8}$/)
  expect(folderOf('Éclair.png')).toMatch(/^e-clair-[0-9a-f]{8}$|^eclair-[0-9a-f]{8}$/)
  expect(folderOf('写真.png')).toMatch(/^picture-[0-9a-f]{8}$/)
  expect(folderOf(`${'a'.repeat(300)}.png`).length).toBeLessThan(80)
  expect(folderOf('a.png')).not.toBe(folderOf('a.png'))
})

test('a large picture is made smaller in its own shape', () => {
  expect(fitted(100, 50)).toEqual({ width: 100, height: 50 })
  expect(fitted(3840, 2160)).toEqual({ width: 1920, height: 1080 })
  expect(fitted(1000, 40_000)).toEqual({ width: 100, height: 4000 })
  expect(fitted(40_000, 1)).toEqual({ width: 1920, height: 1 })
})

test('a picture inside of pasted text becomes a file', async () => {
  const made = await fetched('data:image/PNG;base64,AQID')
  expect([made.type, made.size]).toEqual(['image/png', 3])
  // Judged like any other file from here.
  expect((await fetched('data:text/html;base64,AQID')).type).toBe('')
  expect((await fetched('data:image/png;base64,%%%')).size).toBe(0)
  await expect(fetched('file:///C:/a.png')).rejects.toThrow('on your computer')
})
