import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '@/ui/button'
import { FieldNote } from '@/ui/field'
import { Input } from '@/ui/input'
import { withTag } from './post-form'

interface TagsFieldProps {
  tags: readonly string[]
  error?: string
  onChange: (tags: readonly string[]) => void
}

export function TagsField({ tags, error, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState('')
  const noteId = useId()
  const add = () => {
    onChange(withTag(tags, typed))
    setTyped('')
  }
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-[1fr_auto] gap-2">
        <Input
          aria-label="Add a tag"
          aria-describedby={error ? noteId : undefined}
          aria-invalid={error ? true : undefined}
          placeholder="Add a tag"
          maxLength={60}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            // Enter also ends a word of an input method, which is no wish to add.
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            add()
          }}
        />
        <Button variant="outline" onClick={add}>
          Add
        </Button>
      </div>
      {error ? <FieldNote id={noteId} error text={error} /> : null}
      {tags.length > 0 ? (
        <ul aria-label="Tags" className="flex flex-wrap gap-2">
          {tags.map((tag) => (
            <li key={tag} className="inline-flex max-w-full items-center rounded-full bg-harbor-50 pl-3 text-sm font-semibold text-harbor-800">
              <span className="truncate">{tag}</span>
              <button
                type="button"
                aria-label={`Remove ${tag}`}
                onClick={() => onChange(tags.filter((other) => other !== tag))}
                className="grid size-8 shrink-0 place-items-center rounded-full hover:bg-harbor-100"
              >
                <X aria-hidden="true" className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
