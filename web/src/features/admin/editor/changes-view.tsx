import { useMemo } from 'react'
import { sanitizedFragment } from '@/lib/html'
import { type Change, diffWords } from './diff'
import type { PostForm } from './post-form'

const FIELDS: readonly [keyof PostForm, string][] = [
  ['title', 'Title'],
  ['slug', 'URL Slug'],
  ['excerpt', 'Excerpt'],
  ['content', 'Content'],
  ['tags', 'Tags'],
  ['authorName', 'Author'],
  ['readingTime', 'Reading Time'],
  ['featuredImageUrl', 'Featured Image URL'],
  ['metaTitle', 'Meta Title'],
  ['metaDescription', 'Meta Description'],
  ['published', 'Published'],
]

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, li, blockquote, pre, tr, br'

/** An article as lines of words; pictures and links say where they lead, because that can be all that changed. */
export function readable(html: string): string {
  const fragment = sanitizedFragment(html)
  for (const image of fragment.querySelectorAll('img')) image.replaceWith(`[image ${image.getAttribute('src') ?? ''} "${image.alt}"]`)
  for (const link of fragment.querySelectorAll('a[href]')) link.append(` (${link.getAttribute('href')})`)
  for (const block of fragment.querySelectorAll(BLOCKS)) block.append('\n')
  return (fragment.textContent ?? '').replace(/[ \t\u00a0]+/g, ' ').replace(/\s*\n\s*/g, '\n').trim()
}

function textOfField(form: PostForm, field: keyof PostForm): string {
  const value = form[field]
  if (field === 'content') return readable(form.content)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return typeof value === 'string' ? value : value.join(', ')
}

interface ChangesViewProps {
  before: PostForm
  after: PostForm
  /** What the two are, such as 'Theirs' and 'Yours'. */
  names: { before: string; after: string }
}

/** Field by field, what one version has and the other has not. */
export function ChangesView({ before, after, names }: ChangesViewProps) {
  const rows = useMemo(
    () =>
      FIELDS.filter(([field]) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map(([field, label]) => ({
        field,
        label,
        changes: diffWords(textOfField(before, field), textOfField(after, field)),
      })),
    [before, after],
  )
  if (rows.length === 0) return <p className="text-sm text-granite-600">Both versions are the same.</p>
  return (
    <div className="grid gap-4">
      <p className="text-xs text-granite-600">
        <del className={styles.removed}>{names.before}</del> <ins className={styles.added}>{names.after}</ins>
      </p>
      {/* What scrolls must be reachable with the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label="Differences" tabIndex={0} className="max-h-[45dvh] overflow-auto rounded-lg border border-granite-200 p-4">
        <dl className="grid gap-4">
          {rows.map(({ field, label, changes }) => (
            <div key={field}>
              <dt className="text-xs font-semibold text-granite-600">{label}</dt>
              <dd className="mt-1 text-sm break-words whitespace-pre-wrap">
                {changes.some(({ kind }) => kind !== 'same') ? <Words changes={changes} /> : 'Only the formatting differs.'}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  )
}

const styles = {
  same: '',
  added: 'rounded-sm bg-success-50 text-success no-underline',
  removed: 'rounded-sm bg-danger-50 text-danger',
}

function Words({ changes }: { changes: readonly Change[] }) {
  // The place in the sequence is all that identifies a change; the sequence is never edited.
  return changes.map(({ kind, text }, index) => {
    const Tag = ({ same: 'span', added: 'ins', removed: 'del' } as const)[kind]
    // oxlint-disable-next-line react/no-array-index-key
    return <Tag key={index} className={styles[kind]}>{shorten(kind, text)}</Tag>
  })
}

const CONTEXT = 160

/** Long stretches without a change are of no interest here. */
function shorten(kind: Change['kind'], text: string): string {
  return kind === 'same' && text.length > 3 * CONTEXT ? `${text.slice(0, CONTEXT)} […] ${text.slice(-CONTEXT)}` : text
}
