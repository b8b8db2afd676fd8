import { type RenderResult, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router-dom'

/** Renders something that contains links, at an address. */
export function renderAt(path: string, children: ReactNode): RenderResult {
  return render(<MemoryRouter initialEntries={[path]}>{children}</MemoryRouter>)
}
