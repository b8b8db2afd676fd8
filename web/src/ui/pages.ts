/**
 * Which page numbers to show: the first, the last, the current one with its neighbours, and a gap
 * where the second-next page would be.
 *
 * pageItems(5, 9) → [1, 'gap', 4, 5, 6, 'gap', 9]
 */
export function pageItems(current: number, last: number): (number | 'gap')[] {
  const items: (number | 'gap')[] = []
  for (let page = 1; page <= last; page += 1) {
    const distance = Math.abs(page - current)
    if (page === 1 || page === last || distance <= 1) items.push(page)
    else if (distance === 2) items.push('gap')
  }
  return items
}
