/** Finds in HTML what an article may not hold, independently of the purifier that takes it out. */
const TAGS = new Set('P H1 H2 H3 H4 H5 H6 STRONG EM U A UL OL LI BLOCKQUOTE CODE PRE IMG BR DIV SPAN TABLE THEAD TBODY TR TH TD'.split(' '))
const ATTRIBUTES = new Set(['href', 'src', 'alt', 'title', 'class', 'id', 'target', 'rel'])

/** Everything in the parsed HTML that is not on the list; empty for HTML that can do nothing. */
export function forbiddenMarkup(html: string, added: readonly string[] = []): string[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.querySelectorAll('*')].flatMap((element) => {
    const found = [...element.attributes].filter(({ name, value }) => {
      if (!ATTRIBUTES.has(name) && !added.includes(name)) return true
      if (name === 'href') return !/^(?:https?:|mailto:|tel:)/.test((element as HTMLAnchorElement).protocol) && value !== ''
      if (name === 'src') return !/^https?:/.test(new URL(value, 'https://site.example').protocol)
      return name === 'target' && !(value === '_blank' && element.getAttribute('rel') === 'noopener noreferrer')
    })
    return [...(TAGS.has(element.tagName) ? [] : [element.tagName]), ...found.map(({ name, value }) => `${name}=${value}`)]
  })
}
