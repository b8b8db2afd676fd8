/** Who waits for the connection, by form: also after the visitor has gone on to another page. */
const waiting = new Map<string, () => void>()

/** Calls once there is a connection, in the place of whoever waited for the same form. Returns how to wait no longer. */
export function whenOnline(form: string, send: () => void): () => void {
  waiting.get(form)?.()
  const end = () => {
    window.removeEventListener('online', resume)
    if (waiting.get(form) === end) waiting.delete(form)
  }
  const resume = () => {
    end()
    send()
  }
  waiting.set(form, end)
  window.addEventListener('online', resume)
  // The connection may have come back before this listened, and then nobody would send what waits.
  if (navigator.onLine) resume()
  return end
}
