const whole = new Intl.NumberFormat('en')

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : whole.format(value)
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let size = value
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  return value < 1000 ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`
}

const stamp = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeStyle: 'medium', hour12: false })

/** A moment in the reader's zone; what is no date is shown as it came. */
export function moment(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  const date = new Date(typeof value === 'number' && value < 1e12 ? value * 1000 : (value as string))
  return Number.isNaN(date.getTime()) ? String(value) : stamp.format(date)
}

/** Anything from a JSON answer as one line of text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? ''
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

/** An SQL name, quoted where it has to be. */
export function ident(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

const RESERVED = new Set(
  'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create current_date current_role current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral leading limit localtime localtimestamp not null offset on only or order placing primary references returning select session_user some symmetric table then to trailing true union unique user using variadic when where window with'.split(' '),
)

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Saves what is in the page as a file. */
export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

/** A type by its shorter name, where it has one. */
export function shortType(type: string): string {
  return type.replace('timestamp with time zone', 'timestamptz').replace('timestamp without time zone', 'timestamp').replace('time without time zone', 'time').replace('character varying', 'varchar').replace('double precision', 'float8')
}
