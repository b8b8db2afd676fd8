import schema from '@functions/submit-quote/quote.form.json'
import type { FormSchema } from '../schema'

export const quoteForm = schema as FormSchema
