/** The first rows of a file, to show and to say which of its columns goes where; the server reads the whole of it. */

export interface Preview {
  columns: string[]
  /** Texts; null is what is not there. */
  rows: (string | null)[][]
}

export const READ = 500_000
export const SHOWN = 5

/** Lines of a CSV text; an element in quotes may hold commas, quotes and ends of lines. What is not whole is left out. */
export function readCsv(text: string, most: number, whole: boolean): (string | null)[][] {
  const lines: (string | null)[][] = []
  let line: (string | null)[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length && lines.length < most) {
    let value = ''
    const quoted = text[at] === '"'
    if (quoted) {
      at += 1
      for (;;) {
        const end = text.indexOf('"', at)
        if (end < 0) return lines
        value += text.slice(at, end)
        at = end + 1
        if (text[at] !== '"') break
        value += '"'
        at += 1
      }
    }
    const rest = /[,\n]/g
    rest.lastIndex = at
    const end = rest.exec(text)?.index ?? text.length
    value += text.slice(at, end).replace(/\r$/, '')
    line.push(quoted || value !== '' ? value : null)
    at = end + 1
    if (end === text.length && !whole) return lines
    if (text[end] !== ',') {
      lines.push(line)
      line = []
    } else if (end === text.length - 1 && whole) lines.push([...line, null])
  }
  return lines
}

/** The first objects of an array or of lines; what is not whole is left out. */
export function readObjects(text: string, most: number): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  let depth = 0
  let start = 0
  let inText = false
  for (let at = 0; at < text.length && found.length < most; at += 1) {
    const letter = text[at]
    if (inText) {
      if (letter === '\\') at += 1
      else if (letter === '"') inText = false
    } else if (letter === '"') inText = true
    else if (letter === '{' || (letter === '[' && depth > 0)) {
      if (depth === 0) start = at
      depth += 1
    } else if ((letter === '}' || letter === ']') && depth > 0) {
      depth -= 1
      if (depth === 0) found.push(JSON.parse(text.slice(start, at + 1)) as Record<string, unknown>)
    }
  }
  return found
}

export function preview(text: string, format: 'csv' | 'json', whole: boolean): Preview {
  if (format === 'csv') {
    const [head = [], ...rows] = readCsv(text, SHOWN + 1, whole)
    return { columns: head.map((name) => name ?? ''), rows }
  }
  const objects = readObjects(text, SHOWN)
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))]
  const shown = (value: unknown) => (value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value))
  return { columns, rows: objects.map((one) => columns.map((name) => shown(one[name]))) }
}

/** Which column of the table each of the file's most likely is: by its name, then by its name without case and marks. */
export function guess(file: readonly string[], table: readonly string[]): Record<string, string> {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  const left = new Set(table)
  const found: Record<string, string> = {}
  for (const same of [(a: string, b: string) => a === b, (a: string, b: string) => plain(a) === plain(b) && plain(a) !== '']) {
    for (const name of file) {
      const target = name in found ? undefined : [...left].find((column) => same(name, column))
      if (target === undefined) continue
      found[name] = target
      left.delete(target)
    }
  }
  return found
}
