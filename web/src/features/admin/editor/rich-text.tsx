import ReactQuill from 'react-quill'
import 'react-quill/dist/quill.snow.css'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { fromHtml } from '../document/from-html'
import { toHtml } from '../document/to-html'
import type { Op } from '../document/types'
import { ImageDialog, type Picture } from './image-dialog'
import { Quill, formats, makeModules, nameControls } from './quill-setup'
import './rich-text.css'

interface RichTextProps {
  label: string
  placeholder: string
  /** The document to begin with; another one needs another `key`. */
  html: string
  /** Called for what the writer does, never for what loading alone changes. */
  onChange: (html: string) => void
}

const REFUSED =
  'Files cannot be put into an article. Place the picture on the web first, then insert its address with the image button.'

type Delta = ReturnType<Quill['getContents']>

export function RichText({ label, placeholder, html, onChange }: RichTextProps) {
  const editor = useRef<ReactQuill>(null)
  const [refused, setRefused] = useState(false)
  const [picture, setPicture] = useState<(Picture & { index: number; length: number }) | null>(null)

  const askForPicture = useCallback((quill: Quill) => {
    const { index, length } = quill.getSelection(true)
    const [selected] = length === 1 ? (quill.getContents(index, 1).ops as Op[]) : []
    const isImage = selected !== undefined && typeof selected.insert !== 'string' && 'image' in selected.insert
    const address = isImage ? String((selected.insert as { image: string }).image) : ''
    setPicture({ address, alt: String(selected?.attributes?.alt ?? ''), index, length })
  }, [])

  // Each of these rebuilds the editor when it changes, so they never do.
  const modules = useMemo(() => makeModules({ onRefused: () => setRefused(true), onImage: askForPicture }), [askForPicture])
  const [initial] = useState(() => ({ ops: fromHtml(html) }) as unknown as Delta)

  useEffect(() => {
    const quill = editor.current?.getEditor()
    if (!quill) return
    nameControls(quill, label)
    // A click on a picture selects it, and the image button then changes it.
    const select = (event: MouseEvent) => {
      const blot = event.target instanceof HTMLImageElement ? Quill.find(event.target) : null
      if (blot && !(blot instanceof Quill)) quill.setSelection(quill.getIndex(blot), 1, 'user')
    }
    quill.root.addEventListener('click', select)
    return () => quill.root.removeEventListener('click', select)
  }, [label])

  // A file that misses the editor would otherwise take the place of the page.
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      if (event.type === 'drop') setRefused(true)
    }
    window.addEventListener('dragover', refuse)
    window.addEventListener('drop', refuse)
    return () => {
      window.removeEventListener('dragover', refuse)
      window.removeEventListener('drop', refuse)
    }
  }, [])

  const insertPicture = ({ address, alt }: Picture) => {
    const quill = editor.current?.getEditor()
    if (!quill || !picture) return
    const { index, length } = picture
    setPicture(null)
    quill.deleteText(index, length, 'user')
    quill.insertEmbed(index, 'image', address, 'user')
    quill.formatText(index, 1, 'alt', alt || false, 'user')
    quill.setSelection(index + 1, 0, 'user')
  }

  return (
    <div className="rich-text">
      <ReactQuill
        ref={editor}
        theme="snow"
        defaultValue={initial}
        modules={modules}
        formats={formats}
        placeholder={placeholder}
        onKeyDown={() => setRefused(false)}
        onChange={(_html, _delta, source, unprivileged) => {
          if (source === 'user') onChange(toHtml(unprivileged.getContents().ops as Op[]))
        }}
      />
      <p role="alert" className="mt-2 text-sm font-medium text-danger empty:hidden">
        {refused ? REFUSED : ''}
      </p>
      <ImageDialog picture={picture} onClose={() => setPicture(null)} onInsert={insertPicture} />
    </div>
  )
}
