import contactCases from '@functions/submit-contact/contact.cases.json'
import newsletterCases from '@functions/submit-newsletter/newsletter.cases.json'
import quickStartCases from '@functions/submit-quote/quick-start.cases.json'
import quoteCases from '@functions/submit-quote/quote.cases.json'
import { describe, expect, test } from 'vitest'
import type { FormSchema, Values } from './schema'
import { contactForm } from './schemas/contact'
import { newsletterForm } from './schemas/newsletter'
import { quickStartForm } from './schemas/quick-start'
import { quoteForm } from './schemas/quote'
import { validate } from './validate'

interface Case {
  title: string
  input: Values
  errors: Record<string, string>
}

const tables: [string, FormSchema, Case[]][] = [
  ['quote', quoteForm, quoteCases as unknown as Case[]],
  ['quick start', quickStartForm, quickStartCases as unknown as Case[]],
  ['contact', contactForm, contactCases as unknown as Case[]],
  ['newsletter', newsletterForm, newsletterCases as unknown as Case[]],
]

describe.each(tables)('%s', (_name, schema, cases) => {
  test.each(cases.map((row) => [row.title, row] as const))('%s', (_title, { input, errors }) => {
    expect(validate(schema, input)).toEqual(errors)
  })
})
