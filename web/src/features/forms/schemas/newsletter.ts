import schema from '@functions/submit-newsletter/newsletter.form.json'
import type { FormSchema } from '../schema'

export const newsletterForm = schema as FormSchema
