/**
 * What the address of an uploaded picture says: `…/pictures/NAME/1600x900.webp` is that large, and lies beside smaller
 * versions that are named by their width. functions/shared/pictures.py reads the same of the same addresses.
 */

/** Widths of the smaller versions, in pixels; a picture has those that are smaller than itself. */
export const WIDTHS = [480, 960, 1440]

/** How wide a picture is in an article. */
const SIZES = '(max-width: 48rem) 100vw, 46rem'

const ADDRESS = /^([^\s,]*\/object\/public\/pictures\/[\w-]+\/)([1-9]\d{0,4})x([1-9]\d{0,4})\.(webp|jpg|png|gif)$/

export interface Measures {
  width: string
  height: string
  srcset?: string
  sizes?: string
}

/** The attributes that keep a picture's place and let a browser choose a version; null for any other address. */
export function measuresOf(address: string): Measures | null {
  const [, folder = '', width = '', height = '', extension = ''] = ADDRESS.exec(address) ?? []
  if (width === '') return null
  const smaller = extension === 'gif' ? [] : WIDTHS.filter((each) => each < Number(width))
  if (smaller.length === 0) return { width, height }
  const versions = [...smaller.map((each) => `${folder}${each}.${extension} ${each}w`), `${address} ${width}w`]
  return { width, height, srcset: versions.join(', '), sizes: SIZES }
}

/** A version of an uploaded picture that is at least so wide, and no wider than it must; any other address as it is. */
export function versionFor(address: string, width: number): string {
  const [, folder = '', full = '', , extension = ''] = ADDRESS.exec(address) ?? []
  const found = extension === 'gif' ? undefined : WIDTHS.find((each) => each >= width && each < Number(full))
  return found ? `${folder}${found}.${extension}` : address
}
