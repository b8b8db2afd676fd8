import schema from '@functions/submit-quote/quick-start.form.json'
import type { FormSchema } from '../schema'

export const quickStartForm = schema as FormSchema
