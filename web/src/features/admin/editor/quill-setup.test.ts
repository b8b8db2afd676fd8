import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sanitizeHtml } from '@/lib/html'
import { fromHtml } from '../document/from-html'
import { toHtml } from '../document/to-html'
import type { Op } from '../document/types'
import { Quill, completeTypedLinks, formats, makeModules, nameControls } from './quill-setup'

const onFiles = vi.fn<(files: File[], index: number) => void>()
const onForeign = vi.fn<(address: string, alt: string) => void>()
const onImage = vi.fn<(quill: Quill) => void>()
let quill: Quill

// jsdom lays nothing out.
Range.prototype.getBoundingClientRect = () => document.body.getBoundingClientRect()

beforeEach(() => {
  onFiles.mockClear()
  onForeign.mockClear()
  const holder = document.createElement('div')
  document.body.append(holder)
  quill = new Quill(holder, { theme: 'snow', formats, modules: makeModules({ onFiles, onForeign, onImage, onTable: () => undefined }) })
  nameControls(quill, 'Content')
})
afterEach(() => document.body.replaceChildren())

const load = (html: string) => quill.setContents(fromHtml(html) as Parameters<typeof quill.setContents>[0])
const html = () => toHtml(quill.getContents().ops as Op[])
const paste = (markup: string) => {
  quill.setContents(quill.clipboard.convert({ html: markup }))
  return html()
}

test.each([
  ['headings', '<h1>a</h1><h2>b</h2><h3>c</h3><h4>d</h4><h5>e</h5><h6>f</h6>'],
  ['running text', '<p>a <strong>b<em>c</em></strong> <u>d</u> <span class="ql-strike">e</span> <code>f</code></p>'],
  ['links', '<p><a href="https://osha.gov" target="_blank" rel="noopener noreferrer">a</a> <a href="/quote">b</a> <a href="tel:+1">c</a></p>'],
  ['lists', '<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>'],
  ['alignment and indent', '<p class="ql-align-center">a</p><h2 class="ql-align-right ql-indent-2">b</h2><ul><li class="ql-align-center">c</li></ul>'],
  ['quotations', '<blockquote><p>a</p><p class="ql-align-right">b</p></blockquote>'],
  ['code', '<pre><code>\n  if (a &lt; b) {\n\n}</code></pre><p>after</p>'],
  ['pictures', '<p>a <img src="https://images.example/a.png" alt="A bag"> b</p><p><a href="/quote"><img src="/b.png" alt=""></a></p>'],
  ['empty lines and spaces', '<p>a&nbsp; b</p><p><br></p><p>&nbsp;c</p>'],
  ['a table between paragraphs', '<p>a</p><table><thead><tr><th>x</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table><p>b</p>'],
  ['a table at the end', '<p>a</p><table><tbody><tr><td>1</td></tr></tbody></table>'],
  ['an empty article', ''],
])('the editor shows and keeps %s', (_title, article) => {
  load(article)
  expect(html()).toBe(article)
})

test('formatting a selection gives exactly the article’s markup', () => {
  quill.setContents([{ insert: 'struck bold\n' }] as Parameters<typeof quill.setContents>[0])
  quill.formatText(0, 6, 'strike', true)
  quill.formatText(7, 4, 'bold', true)
  quill.formatLine(0, 1, 'list', 'bullet')
  expect(html()).toBe('<ul><li><span class="ql-strike">struck</span> <strong>bold</strong></li></ul>')
  expect(quill.root.querySelector('span.ql-strike')?.textContent).toBe('struck')
})

test.each([
  ['a host name gets its scheme', 'osha.gov/bbp', 'https://osha.gov/bbp'],
  ['an e-mail address becomes a mail link', 'a@b.example', 'mailto:a@b.example'],
  ['a script becomes nothing', 'javascript:alert(1)', 'about:blank'],
  ['a path stays a path', '/quote', '/quote'],
])('in typed links %s', (_title, typed, href) => {
  completeTypedLinks(quill)
  quill.setContents([{ insert: 'x\n' }] as Parameters<typeof quill.setContents>[0])
  quill.setSelection(0, 1)
  const { tooltip } = quill.theme as unknown as { tooltip: { edit: (mode: string, preview: string) => void; textbox: HTMLInputElement; save: () => void } }
  tooltip.edit('link', '')
  tooltip.textbox.value = typed
  tooltip.save()
  expect(quill.root.querySelector('a')?.getAttribute('href')).toBe(href)
})

test.each(['mailto:a@b.example', 'guide.pdf', 'osha.gov/x', '//cdn.example/a', '#on-a', '?tag=Sharps', 'tel:+1'])('a loaded link to %s stays as it is', (href) => {
  load(`<p><a href="${href}">x</a></p>`)
  expect(quill.root.querySelector('a')?.getAttribute('href')).toBe(href)
})

test.each(['images/a.png', '//cdn.example/a.png', 'http://old.example/a.png', 'a.png?x=1'])('a loaded picture at %s stays as it is', (src) => {
  load(`<p><img src="${src}"></p>`)
  expect(quill.root.querySelector('img')?.getAttribute('src')).toBe(src)
})

describe('pasted', () => {
  const word = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head><body>
    <!--StartFragment--><h2 style='mso-list:none'>Storage<o:p></o:p></h2>
    <p class=MsoNormal style='margin-bottom:8pt'><b><span style='font-size:14.0pt;font-family:"Times New Roman";color:red'>Red&nbsp;bags</span></b><span style='background:yellow'> are <i>not</i> trash.</span><o:p></o:p></p>
    <p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span>Sharps<o:p></o:p></p>
    <p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span>Vials<o:p></o:p></p><!--EndFragment--></body></html>`
  const docs = `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr" style="line-height:1.38"><span style="font-size:16pt;color:#000">Storage</span></h2><p dir="ltr"><span style="font-weight:700;font-family:Arial">Red bags</span><span style="font-weight:400"> are </span><span style="font-style:italic">not</span><span> trash.</span></p><ul><li dir="ltr" style="list-style-type:disc"><p dir="ltr" role="presentation"><span>Sharps</span></p></li></ul></b>`

  test('Word text keeps its structure and loses its decoration', () => {
    const result = paste(word)
    expect(result).toContain('<h2>Storage</h2>')
    expect(result).toContain('<strong>Red bags</strong> are <em>not</em> trash.')
    expect(result).toContain('Sharps')
    expect(result).not.toMatch(/style=|font|Mso|o:p|color/)
    expect(sanitizeHtml(result)).toBe(result)
  })

  test('Docs text keeps its structure and loses its decoration', () => {
    expect(paste(docs)).toBe('<h2>Storage</h2><p><strong>Red bags</strong> are <em>not</em> trash.</p><ul><li>Sharps</li></ul>')
  })

  test('a table stays a table without its looks', () => {
    expect(paste('<p>a</p><table class="MsoTableGrid" style="width:9cm"><tr><td style="border:1px">x <b>y</b></td></tr></table>')).toBe(
      '<p>a</p><table><tbody><tr><td>x <strong>y</strong></td></tr></tbody></table>',
    )
  })

  test('hostile markup is inert', () => {
    expect(paste('<p onclick="alert(1)">a<script>alert(2)</script></p><div class="ql-raw" data-raw="&lt;img src=x onerror=alert(3)&gt;"></div>')).not.toMatch(/onclick|script|onerror/)
  })

  test.each(['data:image/png;base64,AAAA', 'https://images.example/a.png', 'http://images.example/a.png', 'file:///C:/a.png', '//images.example/a.png', 'C:\\a.png'])(
    'a picture that lies elsewhere, at %s, is to be taken over',
    (address) => {
      expect(paste(`<p>a<img src="${address}" alt="Bag">b</p>`)).toBe('<p>ab</p>')
      expect(onForeign.mock.calls).toEqual([[address, 'Bag']])
    },
  )

  test.each(['/og/a.png', 'https://project.example/storage/v1/object/public/pictures/a-1/9x9.png'])('a picture of this site stays: %s', (address) => {
    expect(paste(`<p><img src="${address}" alt="Bag" width="9"></p>`)).toBe(`<p><img src="${address}" alt="Bag"></p>`)
    expect(onForeign).not.toHaveBeenCalled()
  })
})

test('files are stored first, and dropping text is no file', () => {
  const range = { index: 0, length: 0 } as Parameters<typeof quill.uploader.upload>[0]
  quill.uploader.upload(range, [])
  expect(onFiles).not.toHaveBeenCalled()
  const file = new File(['x'], 'a.png', { type: 'image/png' })
  quill.uploader.upload(range, [file])
  expect(onFiles.mock.calls).toEqual([[[file], 0]])
  expect(html()).toBe('')
})

test('Undo takes back what the writer did, never the loading of the article', () => {
  load('<p>Stored</p>')
  quill.insertText(0, 'Not ', 'user')
  quill.history.undo()
  quill.history.undo()
  expect(html()).toBe('<p>Stored</p>')
})

test('every control has a name', () => {
  const bar = document.querySelector('.ql-toolbar')
  const controls = [...(bar?.querySelectorAll('button, .ql-picker-label, .ql-picker-item') ?? [])]
  expect(controls.length).toBeGreaterThan(20)
  expect(controls.filter((control) => !control.getAttribute('aria-label'))).toEqual([])
  expect(quill.root.getAttribute('aria-label')).toBe('Content')
})

test('Tab leaves the editor', () => {
  load('<ul><li>a</li></ul>')
  const event = new KeyboardEvent('keydown', { key: 'Tab', bubbles: true, cancelable: true })
  quill.root.dispatchEvent(event)
  expect(event.defaultPrevented).toBe(false)
  expect(html()).toBe('<ul><li>a</li></ul>')
})
