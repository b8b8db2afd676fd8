import ReactQuill from 'react-quill'
import 'react-quill/dist/quill.snow.css'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { droppedFrom } from '@/lib/html'
import { Article } from '../document/article'
import { type Op, isRaw } from '../document/types'
import { failureOf } from '../pictures/failure'
import { faultOf, fetched } from '../pictures/prepare'
import { BlockDialog } from './block-dialog'
import { ImageDialog, type Picture } from './image-dialog'
import { Quill, type RawAction, completeTypedLinks, formats, makeModules, nameControls } from './quill-setup'
import { EMPTY_TABLE, TableDialog } from './table-dialog'
import './rich-text.css'

interface RichTextProps {
  label: string
  placeholder: string
  /** The document to begin with; another one needs another `key`. */
  html: string
  /** Called for what the writer does, never for what loading alone changes. */
  onChange: (html: string) => void
}

type Delta = ReturnType<Quill['getContents']>

/** A file that was dropped or pasted, and where. */
interface Waiting {
  file: File
  alt: string
  /** None for where the cursor is. */
  index?: number
}

/** An opaque block being edited, or a new table where the text goes on. */
interface Opened {
  as: 'table' | 'html'
  html: string
  index: number
  isNew: boolean
}

const opsOf = (quill: { getContents: () => Delta }) => quill.getContents().ops as Op[]

export function RichText({ label, placeholder, html, onChange }: RichTextProps) {
  const editor = useRef<ReactQuill>(null)
  const [refused, setRefused] = useState('')
  const [waiting, setWaiting] = useState<Waiting[]>([])
  const [picture, setPicture] = useState<(Picture & { index: number; length: number }) | null>(null)

  const [opened, setOpened] = useState<Opened | null>(null)

  const addTable = useCallback((quill: Quill) => setOpened({ as: 'table', html: EMPTY_TABLE, index: quill.getSelection(true).index, isNew: true }), [])
  const askForPicture = useCallback((quill: Quill) => {
    const { index, length } = quill.getSelection(true)
    const [selected] = length === 1 ? (quill.getContents(index, 1).ops as Op[]) : []
    const isImage = selected !== undefined && typeof selected.insert !== 'string' && 'image' in selected.insert
    const address = isImage ? String((selected.insert as { image: string }).image) : ''
    setPicture({ address, alt: String(selected?.attributes?.alt ?? ''), index, length })
  }, [])

  /** One after another is asked for its words; what cannot be stored is refused with words of ours. */
  const takeFiles = useCallback((files: File[], index?: number, alt = '') => {
    const faults = files.map(faultOf)
    setRefused(faults.filter((fault) => fault !== null).join(' '))
    const taken = files.filter((_, at) => faults[at] === null)
    setWaiting((others) => [...others, ...taken.map((file) => ({ file, alt, ...(index !== undefined && { index }) }))])
  }, [])
  // Behind the text that it came with, which is not there yet.
  const takeForeign = useCallback(
    (address: string, alt: string) => {
      fetched(address).then(
        (file) => takeFiles([file], undefined, alt),
        (error: unknown) => setRefused(failureOf(error)),
      )
    },
    [takeFiles],
  )

  // Each of these rebuilds the editor when it changes, so they never do.
  const modules = useMemo(
    () => makeModules({ onFiles: takeFiles, onForeign: takeForeign, onImage: askForPicture, onTable: addTable }),
    [askForPicture, addTable, takeFiles, takeForeign],
  )
  const [next] = waiting
  const [article] = useState(() => new Article(html))
  const [dropped] = useState(() => droppedFrom(html))
  const [initial] = useState(() => ({ ops: article.ops }) as unknown as Delta)

  useEffect(() => {
    const quill = editor.current?.getEditor()
    if (!quill) return
    nameControls(quill, label)
    completeTypedLinks(quill)
    while (!article.adopt(opsOf(quill))) quill.setContents({ ops: article.ops } as unknown as Delta, 'api')
    const act = (action: RawAction, button: HTMLElement) => {
      const block = button.closest('.ql-raw')
      const blot = block && Quill.find(block)
      if (!blot || blot instanceof Quill) return
      const index = quill.getIndex(blot)
      const [{ insert = '' } = {}] = quill.getContents(index, 1).ops as Op[]
      if (action === 'below') {
        // The button stands inside of the editor, which therefore takes itself to have the focus.
        button.blur()
        // An empty line is there already below the last block.
        if (quill.getLine(index + 1)[0]?.length() !== 1) quill.insertText(index + 1, '\n', 'user')
        quill.setSelection(index + 1, 0, 'user')
      } else if (isRaw(insert)) setOpened({ as: action, html: insert.raw, index, isNew: false })
    }
    // A click on a picture selects it, and the image button then changes it.
    const select = (event: MouseEvent) => {
      const button = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('button[data-raw]') : null
      if (button) return act(button.dataset.raw as RawAction, button)
      const blot = event.target instanceof HTMLImageElement ? Quill.find(event.target) : null
      if (blot && !(blot instanceof Quill)) quill.setSelection(quill.getIndex(blot), 1, 'user')
    }
    quill.root.addEventListener('click', select)
    return () => quill.root.removeEventListener('click', select)
  }, [label, article])

  // A file that misses the editor would otherwise take the place of the page.
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      if (event.type === 'drop') setRefused('Drop pictures on the text itself.')
    }
    window.addEventListener('dragover', refuse)
    window.addEventListener('drop', refuse)
    return () => {
      window.removeEventListener('dragover', refuse)
      window.removeEventListener('drop', refuse)
    }
  }, [])

  const closePicture = () => {
    if (next) setWaiting(([, ...others]) => others.map((other) => (other.index === undefined ? other : { ...other, index: other.index + 1 })))
    else setPicture(null)
  }

  const insertPicture = ({ address, alt }: Picture) => {
    const quill = editor.current?.getEditor()
    if (!quill) return
    const place = next ? { index: Math.min(next.index ?? quill.selection.savedRange.index, quill.getLength() - 1), length: 0 } : picture
    if (!place) return
    const { index, length } = place
    closePicture()
    quill.deleteText(index, length, 'user')
    quill.insertEmbed(index, 'image', address, 'user')
    quill.formatText(index, 1, 'alt', alt || false, 'user')
    quill.setSelection(index + 1, 0, 'user')
  }

  const putBlock = (block: string) => {
    const quill = editor.current?.getEditor()
    if (!quill || !opened) return
    const { index, isNew } = opened
    setOpened(null)
    // The block's name goes along: its place among the stored blocks is known by it.
    const { source } = isNew ? {} : (quill.getContents(index, 1).ops[0]?.attributes ?? {})
    const [{ insert: before = '\n' } = {}] = index > 0 ? quill.getContents(index - 1, 1).ops : []
    const change: Op[] = [...(isNew && before !== '\n' ? [{ insert: '\n' }] : []), { insert: { raw: block }, ...(source !== undefined && { attributes: { source } }) }]
    const steps = [...(index > 0 ? [{ retain: index }] : []), ...(isNew ? [] : [{ delete: 1 }]), ...change]
    quill.updateContents({ ops: steps } as unknown as Delta, 'user')
    quill.setSelection(index + change.length, 0, 'user')
  }

  return (
    <div className="rich-text">
      {article.mended ? (
        <p className="mb-2 rounded-md bg-gold-50 px-4 py-3 text-sm">
          The stored text has tags that do not match. Once it is changed here, it is stored as browsers read it.
        </p>
      ) : null}
      {dropped.length > 0 ? (
        <p className="mb-2 rounded-md bg-gold-50 px-4 py-3 text-sm">
          The stored text holds what articles cannot: {dropped.join(', ')}. Once the text is changed here and saved, that is lost.
        </p>
      ) : null}
      <ReactQuill
        ref={editor}
        theme="snow"
        defaultValue={initial}
        modules={modules}
        formats={formats}
        placeholder={placeholder}
        onKeyDown={() => setRefused('')}
        onChange={(_html, _delta, source, unprivileged) => {
          if (source === 'user') onChange(article.save(opsOf(unprivileged)))
        }}
      />
      <p role="alert" className="mt-2 text-sm font-medium text-danger empty:hidden">
        {refused}
      </p>
      <ImageDialog file={next?.file ?? null} picture={next ? { address: '', alt: next.alt } : picture} onClose={closePicture} onInsert={insertPicture} />
      <BlockDialog html={opened?.as === 'html' ? opened.html : null} onClose={() => setOpened(null)} onSave={putBlock} />
      <TableDialog html={opened?.as === 'table' ? opened.html : null} isNew={opened?.isNew ?? false} onClose={() => setOpened(null)} onSave={putBlock} />
    </div>
  )
}
