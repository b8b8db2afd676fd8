/**
 * Data that the server put into the page beside the HTML that it made of it, so that the browser need not ask again.
 * It is a script beside the application's root. Articles stand inside the root and hold no script, so whatever ids they
 * have, nothing that an author writes is taken for it.
 */
type Part = 'list-data' | 'post-data'

const find = (id: Part) => [...document.body.children].find((element) => element.id === id && element.localName === 'script')

export const hasServerData = (id: Part) => typeof document !== 'undefined' && find(id) !== undefined

export function serverData(id: Part): unknown {
  const text = typeof document === 'undefined' ? null : find(id)?.textContent
  return text ? JSON.parse(text) : undefined
}

let takenOver = false

/** The text of the article in the server's HTML; nothing once the page is the browser's, for it may be another by then. */
export const servedText = () => (takenOver ? undefined : document.querySelector('#root[data-filled] .article-body')?.innerHTML)

/** Whether the browser is drawing over what the server's template gave, and must draw the same at first. */
let takingOver = false
export const isTakingOver = () => takingOver

/** The first drawing over the server's HTML. */
export function takeOver(draw: () => void): void {
  takingOver = true
  draw()
  takingOver = false
  takenOver = true
}

/** When it was true. */
export const serverDataAt = () => performance.timeOrigin

interface Brought {
  queryKey: readonly unknown[]
  data: unknown
}

const brought: Brought[] = []

/** Keeps an answer that came with the page for the library that remembers answers, which may come later. */
export const bring = (answer: Brought) => void brought.push(answer)
export const takeBrought = () => brought.splice(0)

/** After a change it is true no more. */
export function forgetServerData(): void {
  const parts: readonly Part[] = ['list-data', 'post-data']
  for (const id of parts) find(id)?.remove()
  brought.length = 0
}
