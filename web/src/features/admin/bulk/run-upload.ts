/**
 * Uploads many posts: in batches while all goes well, one by one where a batch is refused, so that every bad
 * entry is named and every good one arrives. Two uploads at once may race for a slug; the loser gets a timestamp.
 *
 * One by one a slug is checked as a single row. A batch asks for all of its slugs at once: a thousand questions more,
 * nearly all of them answered with a 406 in the console, would tell it no more.
 */
import { RequestError } from '@/lib/results'
import { slugExists, takenSlugs } from '../api/find-slugs'
import { insertPosts } from '../api/insert-posts'
import { type PostInsert, titleOf, toInsert } from './parse-upload'

export interface UploadResult {
  successful: number
  failed: number
  /** One line for each failed entry, in the order of the entries. */
  errors: string[]
}

export interface UploadSteps {
  insert: (rows: PostInsert[]) => Promise<void>
  exists: (slug: string) => Promise<boolean>
  taken: (slugs: string[]) => Promise<string[]>
  now: () => number
}

const site: UploadSteps = { insert: insertPosts, exists: slugExists, taken: takenSlugs, now: Date.now }

const BATCH = 50
const SLUG_TRIES = 3
const DUPLICATE = '23505'

interface Numbered {
  number: number
  row: PostInsert
}

/** `onProgress` gets the result so far and the percent of entries dealt with. */
export async function runUpload(
  entries: readonly unknown[],
  onProgress: (percent: number, result: UploadResult) => void,
  steps: UploadSteps = site,
): Promise<UploadResult> {
  const failures = new Map<number, string>()
  let done = 0
  let successful = 0

  const fail = (number: number, error: unknown) => {
    const message = (error instanceof Error && error.message) || 'Unknown error'
    failures.set(number, `Post ${number} (${titleOf(entries[number - 1])}): ${message}`)
  }
  const result = (): UploadResult => ({
    successful,
    failed: failures.size,
    errors: [...failures].sort(([a], [b]) => a - b).map(([, line]) => line),
  })
  const report = (count: number) => {
    done += count
    onProgress((done / entries.length) * 100, result())
  }

  // Within one upload slugs are kept apart here; against other posts the database decides.
  const used = new Set<string>()
  for (let start = 0; start < entries.length; start += BATCH) {
    const batch: Numbered[] = []
    for (let index = start; index < Math.min(start + BATCH, entries.length); index += 1) {
      try {
        batch.push({ number: index + 1, row: toInsert(entries[index], index + 1) })
      } catch (error) {
        fail(index + 1, error)
      }
    }
    report(Math.min(BATCH, entries.length - start) - batch.length)
    if (batch.length === 0) continue
    try {
      await keepSlugsApart(batch, used, steps)
      await steps.insert(batch.map(({ row }) => row))
      successful += batch.length
      report(batch.length)
    } catch {
      for (const { number, row } of batch) {
        try {
          await insertOne(row, steps)
          successful += 1
        } catch (error) {
          fail(number, error)
        }
        report(1)
      }
    }
  }
  return result()
}

async function keepSlugsApart(batch: readonly Numbered[], used: Set<string>, { taken, now }: UploadSteps): Promise<void> {
  for (const slug of await taken(batch.map(({ row }) => row.slug))) used.add(slug)
  for (const { row } of batch) {
    row.slug = unusedSlug(row.slug, used, now())
    used.add(row.slug)
  }
}

/** The slug, with a timestamp appended if it is in use. */
function unusedSlug(slug: string, used: ReadonlySet<string>, now: number): string {
  let unused = slug
  for (let stamp = now; used.has(unused); stamp += 1) unused = `${slug}-${stamp}`
  return unused
}

async function insertOne(row: PostInsert, { insert, exists, now }: UploadSteps): Promise<void> {
  const { slug } = row
  for (let attempt = 1; ; attempt += 1) {
    const wanted = attempt === 1 && !(await exists(slug)) ? slug : `${slug}-${now() + attempt - 1}`
    try {
      return await insert([{ ...row, slug: wanted }])
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== DUPLICATE) throw error
      // The row itself is there: the batch had arrived although its answer had not.
      if (error.message.includes('pkey')) return
      if (attempt === SLUG_TRIES) throw error
    }
  }
}
