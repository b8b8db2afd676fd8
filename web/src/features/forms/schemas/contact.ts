import schema from '@functions/submit-contact/contact.form.json'
import type { FormSchema } from '../schema'

export const contactForm = schema as FormSchema
