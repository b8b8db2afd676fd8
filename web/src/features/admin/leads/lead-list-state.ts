/** Which leads the page shows, as its address says it. */
import { type FormName, type LeadStatus, formNames } from './lead'

export interface LeadListState {
  form: FormName | 'all' | 'quarantine'
  status: LeadStatus | 'all'
}

export const statusOptions: readonly { value: LeadListState['status']; label: string }[] = [
  { value: 'new', label: 'New' },
  { value: 'handled', label: 'Handled' },
  { value: 'all', label: 'New and handled' },
]

const formValues = ['all', ...formNames, 'quarantine'] as const

export function parseLeadListState(params: URLSearchParams): LeadListState {
  return {
    form: formValues.find((value) => value === params.get('form')) ?? 'all',
    status: statusOptions.find(({ value }) => value === params.get('status'))?.value ?? 'new',
  }
}

export function leadListQuery({ form, status }: LeadListState): string {
  const params = new URLSearchParams()
  if (form !== 'all') params.set('form', form)
  if (status !== 'new') params.set('status', status)
  return params.toString()
}
