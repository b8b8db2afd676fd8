/** What a visitor typed, or a browser filled in, before the form's script was there. */
import { takeFields } from '@/lib/early-fields'
import { type FormSchema, type Values, emptyValues } from './schema'

/** Name of the trap in the markup; it says nothing that autofill knows. */
export const TRAP_NAME = 'leave-empty'

/** All that a form holds beyond what it was rendered with; the trap too, should a robot be that quick. */
export function takeTyped(schema: FormSchema, form: HTMLFormElement): { typed: Values; trap: string } {
  const empty = emptyValues(schema)
  const typed: Values = {}
  let trap = ''
  for (const data of takeFields(form)) {
    for (const { name, type } of schema.fields) {
      // What is sent without being asked for has no field, and nobody can have typed it.
      if (form.elements.namedItem(name) === null) continue
      const value = type === 'choices' ? data.getAll(name) : data.get(name)
      if (value !== null && JSON.stringify(value) !== JSON.stringify(empty[name])) typed[name] = value
    }
    trap ||= String(data.get(TRAP_NAME) ?? '')
  }
  return { typed, trap }
}
