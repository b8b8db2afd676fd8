/**
 * Quill as this site needs it: only formats with a faithful form in the article allowlist, what it cannot show kept as
 * blocks, no file ever inlined, no loaded address rewritten, and Tab left to the keyboard user.
 */
import { Quill } from 'react-quill'
import type { QuillOptionsStatic } from 'react-quill'
import type * as Parchment from 'parchment'
import { isShownAddress, sanitizeHtml } from '@/lib/html'
import type { BlockEmbed as BlockEmbedBlot } from 'quill/blots/block.js'
import type EmbedBlot from 'quill/blots/embed.js'
import type InlineBlot from 'quill/blots/inline.js'
import type ImageBlot from 'quill/formats/image.js'
import type LinkBlot from 'quill/formats/link.js'
import type KeyboardModule from 'quill/modules/keyboard.js'
import type UploaderModule from 'quill/modules/uploader.js'
import { isOwnAddress, linkAddress } from './link-address'

const Delta = Quill.import('delta')
const BlockEmbed = Quill.import('blots/block/embed') as typeof BlockEmbedBlot
const Embed = Quill.import('blots/embed') as typeof EmbedBlot
const Image = Quill.import('formats/image') as typeof ImageBlot
const Link = Quill.import('formats/link') as typeof LinkBlot
const Inline = Quill.import('blots/inline') as typeof InlineBlot
const { Attributor, Scope } = Quill.import('parchment') as typeof Parchment
const Keyboard = Quill.import('modules/keyboard') as typeof KeyboardModule
const Uploader = Quill.import('modules/uploader') as typeof UploaderModule

type Delta = InstanceType<typeof Delta>

/** Struck text: no tag of the allowlist means it, so a class does. */
class StrikeSpan extends Inline {
  static override blotName = 'strike'
  static override tagName = 'SPAN'
  static override className = 'ql-strike'

  // A span is no format to Quill unless it says so.
  static override formats(): true {
    return true
  }
}

/** An address stays as it is: what a writer types is completed where it is typed, see `completeTypedLinks`. */
class SafeLink extends Link {
  static override sanitize(url: string): string {
    return isShownAddress('a', 'href', url) ? url : 'about:blank'
  }
}

class WebImage extends Image {
  static override sanitize(url: string): string {
    return isShownAddress('img', 'src', url) ? url : '//:0'
  }
}

/** A line break inside a paragraph. */
class SoftBreak extends Embed {
  static override blotName = 'softbreak'
  static override tagName = 'SPAN'
  static override className = 'ql-softbreak'

  static override create(): Element {
    const node = super.create() as HTMLElement
    node.append(document.createElement('br'))
    return node
  }

  static override value(): true {
    return true
  }
}

/** The stored block that a line comes from: see `document/article.ts`. */
const SourceName = new Attributor('source', 'data-source', { scope: Scope.BLOCK })

/** What a writer can do with an opaque block, by the name of its button. */
export type RawAction = 'table' | 'html' | 'below'

function rawTools(isTable: boolean): HTMLElement {
  const tools = document.createElement('div')
  tools.className = 'ql-raw-tools'
  const label = document.createElement('span')
  label.textContent = isTable ? 'Table' : 'Section kept as it is'
  const button = (action: RawAction, text: string) => {
    const made = document.createElement('button')
    made.type = 'button'
    made.dataset.raw = action
    made.textContent = text
    return made
  }
  tools.append(label, ...(isTable ? [button('table', 'Edit table')] : []), button('html', 'Edit HTML'), button('below', 'Write below'))
  return tools
}

/** A table, or another block that the editor has no form for: shown and deletable, but not editable in place. */
class RawBlock extends BlockEmbed {
  static override blotName = 'raw'
  static override tagName = 'DIV'
  static override className = 'ql-raw'

  static override create(value: unknown): Element {
    const node = super.create() as HTMLElement
    // May come from the clipboard as well as from the article.
    const html = sanitizeHtml(String(value))
    node.dataset.raw = html
    const shown = document.createElement('div')
    shown.innerHTML = html
    node.append(rawTools(/^\s*<table\b/.test(html) && shown.childElementCount === 1), shown)
    node.setAttribute('contenteditable', 'false')
    return node
  }

  static override value(node: Element): unknown {
    return sanitizeHtml((node as HTMLElement).dataset.raw ?? '')
  }
}

/** Files that are dropped or pasted are stored first, see `rich-text.tsx`. */
class AskingUploader extends Uploader {
  override upload(range: { index: number }, files: FileList | File[]): void {
    const { onFiles } = this.options as { onFiles?: Handlers['onFiles'] }
    if (files.length > 0) onFiles?.([...files], range.index)
  }
}

let registered = false

function register(): void {
  if (registered) return
  registered = true
  Quill.register({ 'formats/source': SourceName, 'formats/softbreak': SoftBreak, 'formats/strike': StrikeSpan, 'formats/link': SafeLink, 'formats/image': WebImage, 'formats/raw': RawBlock, 'modules/uploader': AskingUploader }, true)
}

export const formats = ['header', 'bold', 'italic', 'underline', 'strike', 'code', 'list', 'indent', 'link', 'image', 'align', 'blockquote', 'code-block', 'raw', 'softbreak', 'source']

const toolbar = [
  [{ header: [1, 2, 3, 4, 5, 6, false] }],
  ['bold', 'italic', 'underline', 'strike'],
  [{ list: 'ordered' }, { list: 'bullet' }],
  [{ indent: '-1' }, { indent: '+1' }],
  ['link', 'image', 'table'],
  [{ align: [] }],
  ['blockquote', 'code-block'],
  ['clean'],
]

interface Handlers {
  /** Files were pasted or dropped, and belong there. */
  onFiles: (files: File[], index: number) => void
  /** A picture came inside of pasted text, and lies elsewhere. */
  onForeign: (address: string, alt: string) => void
  /** The picture button. */
  onImage: (quill: Quill) => void
  /** The table button. */
  onTable: (quill: Quill) => void
}

/** Quill's modules; made once for an editor, because new ones rebuild it. */
export function makeModules({ onFiles, onForeign, onImage, onTable }: Handlers): NonNullable<QuillOptionsStatic['modules']> {
  register()
  return {
    toolbar: {
      container: toolbar,
      handlers: {
        image(this: { quill: Quill }) {
          onImage(this.quill)
        },
        table(this: { quill: Quill }) {
          onTable(this.quill)
        },
      },
    },
    uploader: { onFiles },
    // Loading the article is no step that Undo may take back.
    history: { userOnly: true },
    clipboard: {
      matchers: [
        ['table', (node: Element) => new Delta().insert({ raw: cleanTable(node) })],
        [
          'img',
          (node: Element, delta: Delta) => {
            const address = node.getAttribute('src') ?? ''
            if (isOwnAddress(address)) return delta
            if (address !== '') onForeign(address, node.getAttribute('alt') ?? '')
            return new Delta()
          },
        ],
      ],
    },
    keyboard: {
      bindings: {
        // Tab moves on, as everywhere: an editor that keeps it is a trap without a mouse.
        tab: null,
        'soft break': {
          key: 'Enter',
          shiftKey: true,
          handler(this: { quill: Quill }, { index, length }: { index: number; length: number }, { format }: { format: Record<string, unknown> }) {
            // In code every line is one already.
            if (format['code-block']) return true
            this.quill.updateContents(new Delta().retain(index).delete(length).insert({ softbreak: true }), 'user')
            this.quill.setSelection(index + 1, 0, 'user')
            return false
          },
        },
        indent: null,
        outdent: null,
        'remove tab': null,
        'indent more': indentBinding(']', '+1'),
        'indent less': indentBinding('[', '-1'),
        // Check lists have no form in an article, so typing one's brackets must not start one.
        'list autofill': { ...(Keyboard.DEFAULTS.bindings['list autofill'] as object), prefix: /^\s*?(\d+\.|-|\*)$/ },
      },
    },
  }
}

const indentBinding = (key: string, step: string) => ({
  key,
  shortKey: true,
  handler(this: { quill: Quill }) {
    this.quill.format('indent', step, Quill.sources.USER)
    return false
  },
})

/** A pasted table without the classes and names of where it came from. */
function cleanTable(table: Element): string {
  const holder = document.createElement('div')
  holder.innerHTML = sanitizeHtml(table.outerHTML)
  for (const element of holder.querySelectorAll('[class], [id]')) {
    element.removeAttribute('class')
    element.removeAttribute('id')
  }
  return holder.innerHTML
}

/** Gives what is typed as a link its scheme, before it becomes one: 'osha.gov' is a host, not a page of this site. */
export function completeTypedLinks(quill: Quill): void {
  const { tooltip } = quill.theme as unknown as { tooltip?: { root: HTMLElement; textbox: HTMLInputElement; save: () => void } }
  if (!tooltip) return
  const save = tooltip.save.bind(tooltip)
  tooltip.save = () => {
    if (tooltip.root.getAttribute('data-mode') === 'link') tooltip.textbox.value = linkAddress(tooltip.textbox.value)
    save()
  }
}

const NAMES: Record<string, string> = {
  'ql-bold': 'Bold',
  'ql-italic': 'Italic',
  'ql-underline': 'Underline',
  'ql-strike': 'Strikethrough',
  'ql-list=ordered': 'Numbered list',
  'ql-list=bullet': 'Bulleted list',
  'ql-indent=-1': 'Decrease indent',
  'ql-indent=+1': 'Increase indent',
  'ql-link': 'Link',
  'ql-image': 'Image',
  'ql-table': 'Table',
  'ql-blockquote': 'Quotation',
  'ql-code-block': 'Code block',
  'ql-clean': 'Remove formatting',
}

/** Names for everything Quill draws without one. */
export function nameControls(quill: Quill, label: string): void {
  const { root } = quill
  root.setAttribute('role', 'textbox')
  root.setAttribute('aria-multiline', 'true')
  root.setAttribute('aria-label', label)
  quill.container.querySelector('.ql-tooltip input')?.setAttribute('aria-label', 'Link address')
  const bar = (quill.getModule('toolbar') as { container?: HTMLElement }).container
  if (!bar) return
  bar.setAttribute('aria-label', 'Formatting')
  bar.querySelector('.ql-header .ql-picker-label')?.setAttribute('aria-label', 'Heading level')
  bar.querySelector('.ql-align .ql-picker-label')?.setAttribute('aria-label', 'Text alignment')
  for (const item of bar.querySelectorAll('.ql-header .ql-picker-item')) {
    const level = item.getAttribute('data-value')
    item.setAttribute('aria-label', level ? `Heading ${level}` : 'Normal')
  }
  for (const item of bar.querySelectorAll('.ql-align .ql-picker-item')) {
    item.setAttribute('aria-label', `Align ${item.getAttribute('data-value') ?? 'left'}`)
  }
  for (const button of bar.querySelectorAll('button')) {
    const format = [...button.classList].find((name) => name.startsWith('ql-')) ?? ''
    const name = NAMES[button.value === '' ? format : `${format}=${button.value}`]
    if (!name) continue
    button.setAttribute('aria-label', name)
    button.title = name
  }
}

export { Quill }
