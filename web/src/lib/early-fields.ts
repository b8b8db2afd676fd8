/** What the fields of prerendered forms hold, kept while the page that the script draws takes their place. */
const remembered = new Map<string, FormData>()

// Not `form.name`: a field of that name would answer.
const nameOf = (form: HTMLFormElement) => form.getAttribute('name') ?? ''

export function rememberFields(root: ParentNode): void {
  for (const form of root.querySelectorAll('form')) remembered.set(nameOf(form), new FormData(form))
}

/** What this form holds, over what the one in its place held before. */
export function takeFields(form: HTMLFormElement): FormData[] {
  const before = remembered.get(nameOf(form))
  remembered.delete(nameOf(form))
  return before ? [before, new FormData(form)] : [new FormData(form)]
}
