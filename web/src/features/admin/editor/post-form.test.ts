import { describe, expect, test } from 'vitest'
import { emptyForm, fieldErrorsOf, formOf, payloadOf, readingTimeOf, sameForm, savedMessage, withTag, withTitle } from './post-form'

const now = new Date('2026-03-04T12:00:00.000Z')
const NOW = now.toISOString()

describe('publishing', () => {
  test.each([
    ['saving a draft', false, false, { published: false, published_at: null }],
    ['saving a post whose switch is on keeps it published, as of now', true, false, { published: true, published_at: NOW }],
    ['publishing a draft', false, true, { published: true, published_at: NOW }],
    ['publishing again', true, true, { published: true, published_at: NOW }],
  ])('%s', (_title, flag, publish, expected) => {
    expect(payloadOf({ ...emptyForm, title: 'T', published: flag }, publish, now)).toMatchObject(expected)
  })

  test.each([
    [false, true, 'Post published successfully'],
    [false, false, 'Post updated successfully'],
    [true, true, 'Post created and published'],
    [true, false, 'Post created successfully'],
  ])('new: %s, published: %s says "%s"', (isNew, publish, message) => expect(savedMessage(isNew, publish)).toBe(message))
})

test('a new post stores every column of the contract', () => {
  expect(payloadOf({ ...emptyForm, title: '  Red bags  ', content: '<p>x</p>', tags: ['OSHA'] }, false, now)).toEqual({
    title: 'Red bags',
    slug: 'red-bags',
    excerpt: null,
    content: '<p>x</p>',
    meta_title: null,
    meta_description: null,
    featured_image_url: null,
    author_name: 'United Medical Waste',
    tags: ['OSHA'],
    published: false,
    reading_time_minutes: 5,
    published_at: null,
  })
})

describe('the slug', () => {
  test('of a new post follows its title', () => expect(withTitle(emptyForm, 'OSHA & You', true).slug).toBe('osha-you'))
  test('stays once it was edited by hand', () => expect(withTitle({ ...emptyForm, title: 'A', slug: 'mine' }, 'B', true).slug).toBe('mine'))
  test('of a stored post stays', () => expect(withTitle({ ...emptyForm, title: 'A', slug: 'a' }, 'B', false).slug).toBe('a'))
})

describe('reading time', () => {
  test.each([
    ['7', 7],
    ['', 5],
    ['abc', 5],
    ['0', 5],
    ['-3', 5],
    ['2.9', 2],
    ['99999', 1000],
  ])('"%s" is %i minutes', (typed, minutes) => expect(readingTimeOf(typed)).toBe(minutes))
})

describe('a tag', () => {
  test('is trimmed', () => expect(withTag(['A'], ' B ')).toEqual(['A', 'B']))
  test('is added once', () => expect(withTag(['A'], 'A')).toEqual(['A']))
  test('is never blank', () => expect(withTag([], '  ')).toEqual([]))
})

test('a post becomes the same form again after it is stored', () => {
  const form = { ...emptyForm, title: 'T', slug: 't', excerpt: 'e', metaTitle: 'm', tags: ['x'], published: true }
  const { published_at: _at, ...stored } = payloadOf(form, false, now)
  expect(sameForm(formOf(stored, stored.published), form)).toBe(true)
  expect(sameForm(formOf(stored, false), form)).toBe(false)
})

test('a refusal names its field', () => {
  expect(fieldErrorsOf('duplicate key value violates unique constraint "blog_posts_slug_key"')).toEqual({ slug: 'Another post has this slug already.' })
  expect(fieldErrorsOf('permission denied for table blog_posts')).toEqual({})
})
