/** What a visitor did in a rendered field before the page's code arrived, to be taken over by the first render. */
export interface EarlyText {
  /** undefined when nothing was typed. */
  text: string | undefined
  /** Where the caret stood; undefined when the visitor was elsewhere. */
  caret: number | undefined
}

const nothing: EarlyText = { text: undefined, caret: undefined }
const remembered = new Map<string, EarlyText>()

/** Before the page that the script draws takes the place of the rendered one. */
export function rememberTexts(root: ParentNode): void {
  for (const field of root.querySelectorAll<HTMLInputElement>('input[id]')) remembered.set(field.id, read(field))
}

/** Told once: what is drawn later begins with what its address says. */
export function earlyText(id: string): EarlyText {
  const before = remembered.get(id)
  remembered.delete(id)
  if (before) return before
  if (typeof document === 'undefined') return nothing
  const field = document.getElementById(id)
  return field instanceof HTMLInputElement ? read(field) : nothing
}

function read(field: HTMLInputElement): EarlyText {
  return {
    text: field.value === field.defaultValue ? undefined : field.value,
    caret: field === document.activeElement ? (field.selectionEnd ?? field.value.length) : undefined,
  }
}

/** Puts the caret back into the field, which may be another element by now. */
export function resumeTyping(id: string, { caret }: EarlyText): void {
  const field = document.getElementById(id)
  if (caret === undefined || !(field instanceof HTMLInputElement) || field === document.activeElement) return
  field.focus({ preventScroll: true })
  field.setSelectionRange(caret, caret)
}
