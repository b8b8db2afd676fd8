/** What the list shows, as its address says it: reload, Back and a shared link all lead to the same page. */

import { paths } from '@/lib/paths'

export interface ListState {
  /** Search words, trimmed; '' for none. */
  search: string
  /** The chosen topic; '' for all. */
  tag: string
  /** Counted from 1. */
  page: number
}

export function parseListState(params: URLSearchParams): ListState {
  const page = Number(params.get('page') ?? 1)
  return {
    search: (params.get('search') ?? '').trim(),
    tag: params.get('tag') ?? '',
    page: Number.isSafeInteger(page) && page > 0 && page < 1e9 ? page : 1,
  }
}

/** The query string of a state; what is not chosen is not said. */
export function listQuery({ search, tag, page }: ListState): string {
  const params = new URLSearchParams()
  if (search !== '') params.set('search', search)
  if (tag !== '') params.set('tag', tag)
  if (page > 1) params.set('page', String(page))
  return params.toString()
}

/** The path and query of a state. */
export function listAddress(state: ListState): string {
  const query = listQuery(state)
  return query === '' ? paths.insights : `${paths.insights}?${query}`
}
