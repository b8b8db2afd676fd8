/**
 * HTML that is safe to show: the article allowlist, applied again in the browser to whatever the server stored.
 * Older markup is translated first (`<b>` to `<strong>`, struck text to `<span class="ql-strike">`), because the
 * allowlist has no tag for it.
 */
import createPurifier, { type Config } from 'dompurify'
import { INVISIBLE, openOutside } from './outside-links'

const TAGS = 'p h1 h2 h3 h4 h5 h6 strong em u a ul ol li blockquote code pre img br div span table thead tbody tr th td'.split(' ')
const ATTRIBUTES = ['href', 'src', 'alt', 'title', 'class', 'id', 'target', 'rel']

/** Tags outside the allowlist with a faithful form inside it. */
const TRANSLATED: Record<string, { tag: string; className?: string }> = {
  b: { tag: 'strong' },
  i: { tag: 'em' },
  s: { tag: 'span', className: 'ql-strike' },
  strike: { tag: 'span', className: 'ql-strike' },
  del: { tag: 'span', className: 'ql-strike' },
}

/** Where each address may stand, and which schemes it may have; no scheme at all is an address of this site. */
const ADDRESSES: Record<string, { tag: string; schemes: RegExp }> = {
  href: { tag: 'a', schemes: /^(?:https?|mailto|tel):/i },
  src: { tag: 'img', schemes: /^https?:/i },
}
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** Ids of the page itself, which an article must not take over. */
const RESERVED_IDS = new Set(['root', 'main', 'newsletter', 'tag-manager'])

const CONFIG: Config = {
  ALLOWED_TAGS: [...TAGS, ...Object.keys(TRANSLATED)],
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
}

/** Whether an attribute of an article may have the address: one of this site, or one with an allowed scheme. */
export function isShownAddress(tag: string, name: string, value: string): boolean {
  const rule = ADDRESSES[name]
  if (!rule || rule.tag !== tag) return false
  const address = value.replace(INVISIBLE, '')
  return !HAS_SCHEME.test(address) || rule.schemes.test(address)
}

/** Only the editor's own classes: any other could borrow the look of the site, an overlay for instance. */
const editorClasses = (value: string) => value.split(/\s+/).filter((name) => name.startsWith('ql-')).join(' ')

function makePurifier() {
  const purifier = createPurifier(window)
  purifier.addHook('uponSanitizeAttribute', (node, data) => {
    if (data.attrName in ADDRESSES) data.keepAttr = isShownAddress(node.localName, data.attrName, data.attrValue)
    else if (data.attrName === 'class') {
      data.attrValue = editorClasses(data.attrValue)
      data.keepAttr = data.attrValue !== ''
    } else if (data.attrName === 'id') data.keepAttr = !RESERVED_IDS.has(data.attrValue)
    // Written anew below, from the address alone.
    else if (data.attrName === 'target' || data.attrName === 'rel') data.keepAttr = false
  })
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node.localName === 'a') openOutside(node)
  })
  return purifier
}

function translate(fragment: DocumentFragment): void {
  for (const [old, { tag, className }] of Object.entries(TRANSLATED)) {
    for (const element of fragment.querySelectorAll(old)) {
      const replacement = document.createElement(tag)
      if (className) replacement.className = className
      replacement.append(...element.childNodes)
      element.replaceWith(replacement)
    }
  }
}

let purifier: ReturnType<typeof makePurifier> | undefined

/** The nodes of untrusted HTML that are safe to show. */
export function sanitizedFragment(html: string): DocumentFragment {
  purifier ??= makePurifier()
  // A text that begins with a frameset has no body, and so nothing to show.
  const fragment = (purifier.sanitize(html, CONFIG) as unknown as DocumentFragment | null) ?? document.createDocumentFragment()
  translate(fragment)
  return fragment
}

/** The same as text. */
export function sanitizeHtml(html: string): string {
  const holder = document.createElement('div')
  holder.append(sanitizedFragment(html))
  return holder.innerHTML
}

/** What shows or means something and yet has no place in an article. */
const MEANINGFUL = ['start', 'colspan', 'rowspan', 'style']

/** What of a text the server drops as it stores it, in words for its writer. A text that came by the API has nothing of this. */
export function droppedFrom(html: string): string[] {
  const found = new Set<string>()
  // The whole document and no body: what a text begins with, a comment for instance, is put in front of it.
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  if (parsed.createTreeWalker(parsed, NodeFilter.SHOW_COMMENT).nextNode()) found.add('comments')
  for (const element of parsed.body.querySelectorAll('*')) {
    const tag = element.localName
    if (!CONFIG.ALLOWED_TAGS?.includes(tag)) found.add(`<${tag}>`)
    else if (tag === 'img' && !isShownAddress(tag, 'src', element.getAttribute('src') ?? '')) found.add('pictures that are not addresses')
    else for (const name of MEANINGFUL) if (element.hasAttribute(name)) found.add(`${name} of <${tag}>`)
  }
  return [...found]
}

/** The words of HTML, blocks apart, without markup. */
export function textOf(html: string): string {
  const fragment = sanitizedFragment(html)
  for (const block of fragment.querySelectorAll('p, h1, h2, h3, h4, h5, h6, li, blockquote, pre, div, br, tr, td, th')) block.append(' ')
  for (const br of fragment.querySelectorAll('br')) br.replaceWith(' ')
  return (fragment.textContent ?? '').replace(/\s+/g, ' ').trim()
}
