/**
 * Conditions and lists that a template can be made of. In the browser they are `? :` and `map`; while the build renders
 * a page as a template (src/templates), they write what the server decides when it fills the template.
 */
import { type ReactNode, createContext, use } from 'react'

export type Truthy<T> = Exclude<T, null | undefined | false | '' | 0>

export interface TemplateWriter {
  condition: (when: unknown, shown: ReactNode, otherwise: ReactNode) => ReactNode
  list: (each: readonly unknown[], item: ReactNode) => ReactNode
  date: (at: string, format: 'short' | 'long') => string
}

/** Null in the browser and for pages that are rendered whole. */
export const Template = createContext<TemplateWriter | null>(null)

interface ShowProps<T> {
  /** Nothing, `false`, zero, an empty text and an empty list are not shown. */
  when: T
  children: (value: Truthy<T>) => ReactNode
  otherwise?: ReactNode
}

export function Show<T>({ when, children, otherwise = null }: ShowProps<T>) {
  const template = use(Template)
  if (template) return template.condition(when, children(when as Truthy<T>), otherwise)
  return when && !(Array.isArray(when) && when.length === 0) ? children(when as Truthy<T>) : otherwise
}

/** The children of each item bring their own `key`. */
export function For<T>({ each, children }: { each: readonly T[]; children: (item: T) => ReactNode }) {
  const template = use(Template)
  return template ? template.list(each, children(each[0] as T)) : each.map(children)
}
