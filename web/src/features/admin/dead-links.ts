/** Links of articles that lead nowhere on this site. Pages of others are not asked. */
import { matchPath } from 'react-router-dom'
import { sanitizedFragment } from '@/lib/html'
import { paths } from '@/lib/paths'
import type { LinkingPost } from './api/list-links'

export interface DeadLink {
  post: LinkingPost
  /** As it is written. */
  href: string
  reason: string
}

const PREFIX = paths.article('')

/**
 * `patterns` are the site's addresses, `redirected` the slugs that lead elsewhere. A link to a section of the same
 * article must have one.
 */
export function deadLinksOf(posts: readonly LinkingPost[], patterns: readonly string[], redirected: ReadonlySet<string>, origin: string): DeadLink[] {
  const bySlug = new Map(posts.map((post) => [post.slug, post]))
  return posts.flatMap((post) => {
    const fragment = sanitizedFragment(post.content)
    return [...fragment.querySelectorAll('a[href], img[src]')].flatMap((element): DeadLink[] => {
      const href = element.getAttribute('href') ?? element.getAttribute('src') ?? ''
      const reason = element.localName === 'img' ? pictureFault(href) : linkFault(href)
      return reason === '' ? [] : [{ post, href, reason }]
    })

    function linkFault(href: string): string {
      if (href.startsWith('#')) return fragment.querySelector(`[id="${CSS.escape(href.slice(1))}"]`) ? '' : 'There is no section of that name.'
      if (!URL.canParse(href, origin + paths.article(post.slug))) return 'This is no address.'
      const url = new URL(href, origin + paths.article(post.slug))
      if (url.origin !== origin) return ''
      if (url.pathname.startsWith(PREFIX) && url.pathname !== PREFIX) {
        const slug = decodeURIComponent(url.pathname.slice(PREFIX.length))
        const target = bySlug.get(slug)
        if (!target) return redirected.has(slug) ? '' : 'No article has this address.'
        return target.published ? '' : 'That article is a draft.'
      }
      return patterns.some((path) => matchPath(path, url.pathname)) ? '' : 'The site has no such page.'
    }
  })
}

const pictureFault = (src: string) => (/^http:/i.test(src) ? 'Pictures from http:// addresses are asked for over https://.' : '')
