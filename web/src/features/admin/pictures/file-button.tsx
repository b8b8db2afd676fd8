import { Upload } from 'lucide-react'
import { buttonClass } from '@/ui/button'
import { TYPES } from './prepare'

/** A button that asks for a picture of the writer's own. */
export function FileButton({ label, onChoose }: { label: string; onChoose: (files: File[]) => void }) {
  return (
    <label className={`${buttonClass({ variant: 'outline' })} cursor-pointer focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-harbor-700`}>
      <Upload aria-hidden="true" /> {label}
      <input
        type="file"
        accept={TYPES.join(',')}
        className="sr-only"
        onChange={(event) => {
          onChoose([...(event.target.files ?? [])])
          // The same file may be chosen again after it was refused.
          event.target.value = ''
        }}
      />
    </label>
  )
}
