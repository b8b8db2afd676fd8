/** Data that the server put into the page beside the HTML that it made of it, so that the browser need not ask again. */
type Part = 'list-data' | 'post-data'

export function servedData(id: Part): unknown {
  const text = typeof document === 'undefined' ? null : document.getElementById(id)?.textContent
  return text ? JSON.parse(text) : undefined
}

/** When it was true. */
export const servedAt = () => performance.timeOrigin

/** After a change it is true no more. */
export function forgetServed(): void {
  const parts: readonly Part[] = ['list-data', 'post-data']
  for (const id of parts) document.getElementById(id)?.remove()
}
