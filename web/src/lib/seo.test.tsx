import { render } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { Seo, renderTags, seoTags } from './seo'

const page = { title: 'Services', description: 'What we do', path: '/services' }

beforeEach(() => {
  document.head.innerHTML = '<title>from nowhere</title>'
  document.head.replaceChildren()
})

const attribute = (selector: string, name: string) => document.head.querySelector(selector)?.getAttribute(name)

describe('tags of a page', () => {
  test('the company name is appended to a title once', () => {
    expect(seoTags(page)[0]?.text).toBe('Services | United Medical Waste')
    expect(seoTags({ ...page, title: 'About United Medical Waste' })[0]?.text).toBe('About United Medical Waste')
  })

  test('a page kept out of indexes has no canonical address', () => {
    const keys = seoTags({ ...page, noindex: true }).map((tag) => tag.key)
    expect(keys).not.toContain('link:canonical')
    expect(seoTags({ ...page, noindex: true }).find((tag) => tag.key === 'name:robots')?.attributes.content).toBe('noindex, nofollow')
  })

  test('text is escaped, and structured data cannot close its script', () => {
    const html = renderTags(seoTags({ ...page, title: 'A "B" <C>', jsonLd: [{ name: '</script><b>' }] }))
    expect(html).toContain('<title data-seo="title">A &quot;B&quot; &lt;C&gt; | United Medical Waste</title>')
    expect(html).not.toContain('</script><b>')
    expect(html).toContain(String.raw`\u003c/script\u003e`)
  })
})

describe('in the browser', () => {
  test('going from page to page leaves exactly one of each tag, and drops those of the old page', () => {
    const { rerender } = render(<Seo {...page} jsonLd={[{ '@type': 'Service' }, { '@type': 'FAQPage' }]} />)
    rerender(<Seo title="Quote" description="A price" path="/quote" jsonLd={[{ '@type': 'BreadcrumbList' }]} />)
    for (const selector of ['title', 'meta[name=description]', 'link[rel=canonical]', 'meta[name=robots]', 'script']) {
      expect(document.head.querySelectorAll(selector), selector).toHaveLength(1)
    }
    expect(document.title).toBe('Quote | United Medical Waste')
    expect(attribute('link[rel=canonical]', 'href')).toMatch(/\/quote$/)
    expect(document.head.querySelector('script')?.textContent).toContain('BreadcrumbList')
  })

  test('tags that the server wrote are taken over, not repeated', () => {
    document.head.innerHTML = renderTags(seoTags(page))
    const title = document.head.querySelector('title')
    render(<Seo {...page} title="Changed" />)
    expect(document.head.querySelector('title')).toBe(title)
    expect(document.title).toBe('Changed | United Medical Waste')
  })
})
