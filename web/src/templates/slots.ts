/**
 * Places in a page that the server fills. While the build renders a template, a component is given slots in place of
 * values: texts in characters that no page uses, which syntax.ts turns into the template's own notation.
 */
export const OPEN = '\uE000'
export const CLOSE = '\uE001'

/** How a value is written decides how it is escaped: see functions/shared/templates.py, which fills them. */
export type SlotKind = 'text' | 'url' | 'address' | 'html' | 'json' | 'short-date' | 'long-date'

const mark = (...parts: readonly (string | number)[]) => OPEN + parts.join(':') + CLOSE

/** `name` is the value's; `.` stands for the item of a list of texts. */
export const slot = (kind: SlotKind, name: string): string => mark(kind, name)

/** Text that is a number, or a condition, where a component wants one. */
export const numberSlot = (name: string) => slot('text', name) as unknown as number
export const flagSlot = (name: string) => slot('text', name) as unknown as boolean

/** A path of this site with its query, the leading slash included. */
export const addressSlot = (name: string) => `/${slot('address', name)}`

interface ListSlot<T> extends Array<T> {
  slotName: string
  limit: number | undefined
}

/** A list whose items all look like this one. A component may cut it off. */
export function listSlot<T>(name: string, item: T): T[] {
  const list: ListSlot<T> = Object.assign([item], { slotName: name, limit: undefined })
  return Object.assign(list, { slice: (_start: number, end: number) => Object.assign([item], { slotName: name, limit: end }) })
}

const isList = (value: unknown): value is ListSlot<unknown> => Array.isArray(value) && 'slotName' in value

/** The name of the value that a slot stands for. */
export function nameOf(value: unknown): string {
  if (isList(value)) return value.slotName
  const found = typeof value === 'string' ? new RegExp(`${OPEN}[a-z-]+:([a-z_.]+)${CLOSE}`).exec(value)?.[1] : undefined
  if (found === undefined) throw new Error(`A template decides by "${String(value)}", which is no slot`)
  return found
}

export const condition = (value: unknown) => mark('if', nameOf(value))
export const otherwise = mark('else')
export const end = mark('end')

export function repeat(list: unknown): string {
  if (!isList(list)) throw new Error('A template repeats what is no list slot')
  return list.limit === undefined ? mark('each', list.slotName) : mark('each', list.slotName, list.limit)
}
