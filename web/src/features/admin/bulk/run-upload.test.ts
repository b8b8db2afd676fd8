import { describe, expect, test } from 'vitest'
import { RequestError } from '@/lib/results'
import { type PostInsert, parseUpload, toInsert } from './parse-upload'
import { type UploadSteps, runUpload } from './run-upload'

describe('the text of an upload', () => {
  test.each([
    ['nothing', '  \n', 'Please provide JSON data to upload'],
    ['no JSON', '{title: "x"}', 'Invalid JSON format. Please check your data structure.'],
    ['a single object', '{"title": "x", "content": "y"}', 'JSON data must be an array of blog post objects.'],
    ['null', 'null', 'JSON data must be an array of blog post objects.'],
  ])('%s is refused', (_title, text, message) => {
    expect(() => parseUpload(text)).toThrow(message)
  })
  test('an array is taken as it is', () => expect(parseUpload('[1, {"title": "x"}]')).toEqual([1, { title: 'x' }]))
})

describe('an entry', () => {
  const long = Array.from({ length: 450 }, (_, index) => `word${index}`).join(' ')

  test('with only title and content gets every default', () => {
    expect(toInsert({ title: ' OSHA & You ', content: `<p>${long}</p>` }, 1)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      title: 'OSHA & You',
      slug: 'osha-you',
      content: `<p>${long}</p>`,
      excerpt: `${long.slice(0, 200)}...`,
      author_name: 'United Medical Waste',
      tags: [],
      reading_time_minutes: 3,
      meta_title: 'OSHA & You',
      meta_description: long.slice(0, 160),
      published: false,
    })
  })

  test('keeps what it says, and is a draft whatever it says', () => {
    const row = toInsert(
      { title: 'A', content: 'b', excerpt: 'short', author_name: 'Dana', tags: [' OSHA ', 'OSHA', '', 7], meta_title: 'M', meta_description: 'D', published: true },
      1,
    )
    expect(row).toMatchObject({ excerpt: 'short', author_name: 'Dana', tags: ['OSHA'], meta_title: 'M', meta_description: 'D', published: false })
  })

  test('has its excerpt as meta description when there is none', () => {
    expect(toInsert({ title: 'A', content: 'b', excerpt: 'short' }, 1).meta_description).toBe('short')
  })

  test('in plain text keeps its paragraphs', () => {
    expect(toInsert({ title: 'A', content: 'one\n\ntwo <3\nthree' }, 1).content).toBe('<p>one</p><p>two &lt;3<br>three</p>')
  })

  test('in older markup keeps its formatting', () => {
    expect(toInsert({ title: 'A', content: '<p><b>bold</b> <i>italic</i> <s>struck</s><script>alert(1)</script></p>' }, 1).content).toBe(
      '<p><strong>bold</strong> <em>italic</em> <span class="ql-strike">struck</span></p>',
    )
  })

  test.each([
    ['no title', { content: 'x' }],
    ['a blank title', { title: '  ', content: 'x' }],
    ['no content', { title: 'x' }],
    ['a number for a title', { title: 5, content: 'x' }],
    ['no object', 'text'],
    ['null', null],
  ])('with %s is refused', (_title, entry) => {
    expect(() => toInsert(entry, 4)).toThrow('Post 4: Title and content are required')
  })
})

/** A table of posts with unique slugs and ids, as the database keeps it. */
function database(existing: string[] = [], refuse: (row: PostInsert) => Error | undefined = () => undefined) {
  const rows = new Map(existing.map((slug) => [slug, {} as PostInsert]))
  const requests: number[] = []
  const duplicate = (name: string) => new RequestError(`duplicate key value violates unique constraint "${name}"`, '23505', 409)
  const steps: UploadSteps = {
    insert: async (batch) => {
      requests.push(batch.length)
      const ids = new Set([...rows.values()].map(({ id }) => id))
      for (const row of batch) {
        const error = refuse(row)
        if (error) throw error
        if (ids.has(row.id)) throw duplicate('blog_posts_pkey')
        if (rows.has(row.slug)) throw duplicate('blog_posts_slug_key')
      }
      for (const row of batch) rows.set(row.slug, row)
    },
    exists: async (slug) => rows.has(slug),
    taken: async (slugs) => slugs.filter((slug) => rows.has(slug)),
    now: () => 1_700_000_000_000,
  }
  return { rows, requests, steps }
}

const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `Title ${index + 1}`, content: 'text' }))
const ignore = () => undefined

describe('an upload', () => {
  test('of 1000 posts with 3 bad ones stores 997 and names 3', async () => {
    const { rows, requests, steps } = database([], (row) => (row.title === 'Title 500' ? new Error('value too long') : undefined))
    const list: unknown[] = entries(1000)
    list[9] = { title: 'No content' }
    list[999] = { content: 'No title' }
    const result = await runUpload(list, ignore, steps)
    expect(result).toEqual({
      successful: 997,
      failed: 3,
      errors: [
        'Post 10 (No content): Post 10: Title and content are required',
        'Post 500 (Title 500): value too long',
        'Post 1000 (Untitled): Post 1000: Title and content are required',
      ],
    })
    expect(rows.size).toBe(997)
    // Twenty batches, and one of them again row by row.
    expect(requests.length).toBeLessThan(80)
  })

  test('gives a slug in use a timestamp, and keeps equal titles of one upload apart', async () => {
    const { rows, steps } = database(['title-1'])
    const result = await runUpload([...entries(2), ...entries(2)], ignore, steps)
    expect(result.successful).toBe(4)
    expect([...rows.keys()]).toEqual(['title-1', 'title-1-1700000000000', 'title-2', 'title-1-1700000000001', 'title-2-1700000000000'])
  })

  test('beside another one loses no post to a slug taken a moment ago', async () => {
    const { rows, steps } = database()
    // Both looked for taken slugs before either inserted anything.
    const blind = { ...steps, taken: async () => [], exists: async () => false }
    const results = await Promise.all([runUpload(entries(60), ignore, blind), runUpload(entries(60), ignore, blind)])
    expect(results.map(({ successful, failed }) => [successful, failed])).toEqual([[60, 0], [60, 0]])
    expect(rows.size).toBe(120)
  })

  test('repeats nothing when the answer to a batch was lost', async () => {
    const { rows, steps } = database()
    let lost = false
    const insert: UploadSteps['insert'] = async (batch) => {
      await steps.insert(batch)
      if (!lost) {
        lost = true
        throw new RequestError('Failed to fetch', '', 0)
      }
    }
    const result = await runUpload(entries(5), ignore, { ...steps, insert, exists: async () => false })
    expect(result).toEqual({ successful: 5, failed: 0, errors: [] })
    expect(rows.size).toBe(5)
  })

  test('reports percent of posts dealt with, up to 100', async () => {
    const { steps } = database([], (row) => (row.title === 'Title 3' ? new Error('') : undefined))
    const percents: number[] = []
    const result = await runUpload([...entries(4), null], (percent) => percents.push(percent), steps)
    expect(percents).toEqual([20, 40, 60, 80, 100])
    expect(result.errors).toEqual(['Post 3 (Title 3): Unknown error', 'Post 5 (Untitled): Post 5: Title and content are required'])
  })
})
