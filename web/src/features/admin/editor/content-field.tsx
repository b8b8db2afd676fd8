import { Code, Type } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { Textarea } from '@/ui/input'
import { RichText } from './rich-text'

interface ContentFieldProps {
  html: string
  error?: string
  /** Changes when another document is put in from outside. */
  documentId: number
  onChange: (html: string) => void
}

/** The article's text: visually, or as the HTML it is stored as. */
export function ContentField({ html, error, documentId, onChange }: ContentFieldProps) {
  const [asHtml, setAsHtml] = useState(false)
  const [opened, setOpened] = useState(0)

  const toggle = () => {
    setAsHtml(!asHtml)
    setOpened(opened + 1)
  }

  return (
    <div className="grid gap-2">
      <div className="flex items-end justify-between gap-4">
        <span aria-hidden="true" className="text-sm font-semibold">
          Content
        </span>
        <Button variant="quiet" size="sm" onClick={toggle}>
          {asHtml ? <Type aria-hidden="true" /> : <Code aria-hidden="true" />}
          {asHtml ? 'Edit visually' : 'Edit as HTML'}
        </Button>
      </div>
      {asHtml ? (
        <Field label={<span className="sr-only">Content as HTML</span>} hint="Comments, and tags outside of the allowed ones, are removed when the article is saved and shown.">
          {(control) => <Textarea {...control} mono rows={20} spellCheck={false} value={html} onChange={(event) => onChange(event.target.value)} />}
        </Field>
      ) : (
        <RichText key={`${documentId}-${opened}`} label="Content" placeholder="Write your content here..." html={html} onChange={onChange} />
      )}
      {error ? (
        <p role="alert" className="text-xs font-medium text-danger">
          {error}
        </p>
      ) : null}
    </div>
  )
}
