import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { navigation, serviceLinks } from '@/content/site'
import { Icon } from '@/ui/icon'
import { NavLink } from '@/ui/link'
import { paths } from '@/lib/paths'

/** How long the submenu stays after the mouse has left. */
export const CLOSE_DELAY_MS = 1500

/**
 * "Services" with its submenu. A mouse opens it by hovering; keyboard and touch use the small button
 * beside the link. Escape closes it and gives the focus back; leaving it with Tab closes it at once.
 */
export function ServicesMenu({ linkClass }: { linkClass: string }) {
  const { pathname } = useLocation()
  // Open on one page only: following a link closes it.
  const [openAt, setOpenAt] = useState<string | null>(null)
  const open = openAt === pathname
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const toggle = useRef<HTMLButtonElement>(null)

  const show = () => {
    clearTimeout(timer.current)
    setOpenAt(pathname)
  }
  const hide = () => {
    clearTimeout(timer.current)
    setOpenAt(null)
  }
  const hideLater = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpenAt(null), CLOSE_DELAY_MS)
  }

  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    // The handlers only add comfort for the mouse; every action is on the link and the button inside.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="relative flex items-center"
      onPointerEnter={(event) => event.pointerType === 'mouse' && show()}
      onPointerLeave={(event) => event.pointerType === 'mouse' && hideLater()}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) hide()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        hide()
        toggle.current?.focus()
      }}
    >
      <NavLink to={paths.services} end className={`${linkClass} pr-1`}>
        {navigation.services.label}
      </NavLink>
      <button
        ref={toggle}
        type="button"
        aria-label="Services submenu"
        aria-expanded={open}
        aria-controls="services-menu"
        onClick={() => (open ? hide() : show())}
        className="grid size-8 place-items-center rounded-sm hover:bg-harbor-50"
      >
        <Icon name="down" className={`size-4 transition-transform ${open ? 'rotate-180' : ''}`} />
      </button>
      <ul id="services-menu" hidden={!open} className="absolute top-full left-0 z-30 mt-2 w-72 animate-rise rounded-lg border border-granite-200 bg-white p-2 shadow-deep">
        {serviceLinks.map(({ label, to }) => (
          <li key={to}>
            <NavLink to={to} className="block rounded-md px-4 py-3 font-medium hover:bg-harbor-50 hover:text-harbor-700 aria-[current=page]:text-harbor-700">
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </div>
  )
}
