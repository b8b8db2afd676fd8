/** Writes conditions, lists and dates of a page as marks, around what the components draw. */
import type { TemplateWriter } from '@/lib/control-flow'
import { condition, end, nameOf, otherwise, repeat, slot } from './slots'

export const writer: TemplateWriter = {
  condition: (when, shown, other) => (
    <>
      {condition(when)}
      {shown}
      {other === null ? null : otherwise}
      {other}
      {end}
    </>
  ),
  list: (each, item) => (
    <>
      {repeat(each)}
      {item}
      {end}
    </>
  ),
  date: (at, format) => slot(`${format}-date`, nameOf(at)),
}
