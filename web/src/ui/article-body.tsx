import { type ComponentProps, type MouseEvent, useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { ID_PREFIX, makeReadable } from './readable'

/** HTML that is safe to show. */
export function ArticleText({ html, ...rest }: { html: string } & ComponentProps<'div'>) {
  // oxlint-disable-next-line react/no-danger
  return <div {...rest} className="article-body" dangerouslySetInnerHTML={{ __html: html }} />
}

interface ArticleBodyProps {
  /** From `articleHtml`, or what the server has put into the page. */
  safe: string
  /** The server's: it stands there already, to be made ready where it stands. */
  served?: boolean
}

export function ArticleBody({ safe, served = false }: ArticleBodyProps) {
  const navigate = useNavigate()
  const body = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (served && body.current) makeReadable(body.current)
  }, [served])

  // The browser looked for the section of its address before there was one. Older links name it without the prefix.
  useEffect(() => {
    const section = sectionOf(window.location.hash)
    if (section === '' || !safe.includes(section)) return
    const names = [section, ID_PREFIX + section]
    const found = body.current?.querySelector(names.map((name) => `#${CSS.escape(name)}`).join())
    found?.scrollIntoView()
  }, [safe])

  const followInside = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const isSection = link.getAttribute('href')?.startsWith('#')
    if (link.target !== '' || link.origin !== window.location.origin || isSection) return
    event.preventDefault()
    void navigate(link.pathname + link.search + link.hash)
  }

  // Keys reach the links themselves; the handler only spares their clicks a full page load.
  return <ArticleText ref={body} onClick={followInside} html={safe} />
}

function sectionOf(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return ''
  }
}
