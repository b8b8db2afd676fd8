/** What changed between two texts, word by word. */

export interface Change {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Above this many comparisons a changed stretch is shown as replaced as a whole. */
const LIMIT = 4_000_000

/** Words with the white space after them, so that joining them gives the text back. */
const wordsOf = (text: string) => text.match(/\s+|\S+\s*/g) ?? []

/**
 * The way from one text to the other. Joining all but the added gives `before`, all but the removed `after`.
 */
export function diffWords(before: string, after: string): Change[] {
  const a = wordsOf(before)
  const b = wordsOf(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1

  const changes: Change[] = []
  const add = (kind: Change['kind'], text: string) => {
    if (text === '') return
    const last = changes.at(-1)
    if (last?.kind === kind) last.text += text
    else changes.push({ kind, text })
  }
  add('same', a.slice(0, start).join(''))
  const removed = a.slice(start, a.length - end)
  const added = b.slice(start, b.length - end)
  if (removed.length * added.length > LIMIT) {
    add('removed', removed.join(''))
    add('added', added.join(''))
  } else {
    for (const { kind, text } of align(removed, added)) add(kind, text)
  }
  add('same', a.slice(a.length - end).join(''))
  return changes
}

/** The longest common sequence, by the length of it for each pair of ends. */
function align(a: readonly string[], b: readonly string[]): Change[] {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const changes: Change[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      changes.push({ kind: 'same', text: a[i] ?? '' })
      i += 1
      j += 1
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      changes.push({ kind: 'removed', text: a[i] ?? '' })
      i += 1
    } else {
      changes.push({ kind: 'added', text: b[j] ?? '' })
      j += 1
    }
  }
  return changes
}
