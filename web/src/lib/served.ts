/** Data that the server put into the page beside the HTML that it made of it, so that the browser need not ask again. */
export function servedData(id: string): unknown {
  const text = typeof document === 'undefined' ? null : document.getElementById(id)?.textContent
  return text ? JSON.parse(text) : undefined
}

/** When it was true. */
export const servedAt = () => performance.timeOrigin
