/**
 * A page in a chunk of its own that can also be rendered without waiting: once `preload()` has
 * resolved, it renders synchronously, so hydration and prerendering never see a fallback.
 */
import { type ComponentType, lazy } from 'react'

export interface LazyPage {
  (): React.JSX.Element
  preload: () => Promise<void>
  /** Key of its chunk in the build's manifest. */
  source: string
}

const modules = import.meta.glob<{ default: ComponentType }>('../features/*/*-page.tsx')

/** The page in `features/<name>.tsx`, its default export. */
export function lazyPage(name: string): LazyPage {
  const load = modules[`../features/${name}.tsx`]
  if (!load) throw new Error(`There is no page features/${name}.tsx`)
  let Ready: ComponentType | undefined
  const Waiting = lazy(load)

  function Page() {
    const Shown = Ready ?? Waiting
    return <Shown />
  }
  Page.preload = async () => {
    Ready ??= (await load()).default
  }
  Page.source = `src/features/${name}.tsx`
  return Page
}
