/** A file as the versions that are stored of it: checked, turned upright, no larger than a page shows, without its maker's data. */
import { WIDTHS } from '@/lib/pictures'
import { uuid } from '@/lib/uuid'

export const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']
export const MOST_BYTES = 10 * 1024 * 1024
const MOST_WIDTH = 1920
const MOST_HEIGHT = 4000
const QUALITY = 0.85

export interface Version {
  name: string
  blob: Blob
}

export interface Prepared {
  /** Smaller versions first: where the largest is, all are. */
  versions: Version[]
  folder: string
  width: number
  height: number
}

/** Why a picture was not taken, in words for the writer. */
export class Refused extends Error {}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** What is wrong with a file, before anything is read of it. */
export function faultOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): string | null {
  if (/^image\/(heic|heif)/.test(type) || /\.(heic|heif)$/i.test(name)) return `"${name}" is a HEIC picture, which browsers cannot show. Export it as JPEG first.`
  if (type === 'image/svg+xml') return `"${name}" is an SVG drawing, which may hold programs. Export it as PNG first.`
  if (!TYPES.includes(type)) return `"${name}" is no picture that can be shown. Use JPEG, PNG, WebP, AVIF or GIF.`
  if (size === 0) return `"${name}" is empty.`
  return size > MOST_BYTES ? `"${name}" has ${megabytes(size)}. A picture can have at most ${megabytes(MOST_BYTES)}.` : null
}

/** 'Red Bags (2).JPG' → 'red-bags-2-1a2b3c4d': what it was called, and what no other is called. */
export function folderOf(fileName: string): string {
  const base = fileName.replace(/\.[^.]*$/, '').normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60).replace(/-+$/, '')
  return `${base || 'picture'}-${uuid().replaceAll('-', '').slice(0, 8)}`
}

/** The size within the bounds; widths of versions are whole, and so is the shape as nearly as it can be. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MOST_WIDTH / width, MOST_HEIGHT / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export async function prepare(file: File): Promise<Prepared> {
  const fault = faultOf(file)
  if (fault) throw new Refused(fault)
  let picture: ImageBitmap
  try {
    picture = await createImageBitmap(file)
  } catch {
    throw new Refused(`"${file.name}" cannot be read as a picture. It may be damaged.`)
  }
  try {
    const folder = folderOf(file.name)
    // Its pictures move, which only the file as it is can show.
    if (file.type === 'image/gif') {
      const { width, height } = picture
      return { folder, width, height, versions: [{ name: `${width}x${height}.gif`, blob: file }] }
    }
    const { width, height } = fitted(picture.width, picture.height)
    const full = await drawn(picture, width, height, file.type)
    const extension = EXTENSIONS[full.type] ?? 'png'
    const versions: Version[] = []
    for (const each of WIDTHS.filter((smaller) => smaller < width)) {
      versions.push({ name: `${each}.${extension}`, blob: await drawn(picture, each, Math.max(1, Math.round((height * each) / width)), file.type, full.type) })
    }
    return { folder, width, height, versions: [...versions, { name: `${width}x${height}.${extension}`, blob: full }] }
  } finally {
    picture.close()
  }
}

const EXTENSIONS: Record<string, string> = { 'image/webp': 'webp', 'image/jpeg': 'jpg', 'image/png': 'png' }

async function drawn(picture: ImageBitmap, width: number, height: number, source: string, wanted = 'image/webp'): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) throw new Refused('This browser has not enough memory for the picture.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, width, height)
  const written = (type: string) => new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, QUALITY))
  let blob = await written(wanted)
  // A browser that cannot write a type writes PNG, which is large for a photograph.
  if (blob && blob.type !== wanted && source === 'image/jpeg') blob = await written('image/jpeg')
  if (!blob) throw new Refused('The picture is too large for this browser.')
  return blob
}

/** A picture that came inside of pasted text, or lies on another site, as a file; throws Refused where it cannot be had. */
export async function fetched(address: string): Promise<File> {
  const [, type = ''] = /^data:([^;,]*)/i.exec(address) ?? []
  if (type !== '') {
    const [, kind = '', text = ''] = /^data:(image\/[\w+.-]+);base64,([A-Za-z0-9+/=\s]*)$/i.exec(address) ?? []
    let bytes: Uint8Array<ArrayBuffer>
    try {
      bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    } catch {
      bytes = new Uint8Array()
    }
    return new File([bytes], 'Pasted picture', { type: kind.toLowerCase() })
  }
  if (!/^https:/i.test(address)) throw new Refused('A picture of the pasted text lies on your computer. Add it with the image button.')
  const { host, pathname } = new URL(address)
  // As an element, not as a request: the site's own rules allow no other way to another site.
  const image = new Image()
  image.crossOrigin = 'anonymous'
  image.referrerPolicy = 'no-referrer'
  image.src = address
  try {
    await image.decode()
    const canvas = document.createElement('canvas')
    const { width, height } = fitted(image.naturalWidth, image.naturalHeight)
    canvas.width = width
    canvas.height = height
    canvas.getContext('2d')?.drawImage(image, 0, 0, width, height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (!blob) throw new Error('nothing drawn')
    return new File([blob], decodeURIComponent(pathname.split('/').at(-1) ?? '') || host, { type: 'image/png' })
  } catch {
    throw new Refused(`The picture from ${host} cannot be taken over from there, and was left out. Save it on your computer, then add it with the image button.`)
  }
}
