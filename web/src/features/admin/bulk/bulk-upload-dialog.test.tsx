import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderAt } from '@/testing/render-app'
import { Toaster } from '@/ui/toast'
import { BulkUploadDialog } from './bulk-upload-dialog'
import { runUpload } from './run-upload'

vi.mock('./run-upload')

test.each([
  ['with its message', new Error('out of memory'), 'out of memory'],
  ['without a message', new Error(''), 'Failed to process bulk upload'],
])('an upload that breaks off %s says so and can be tried again', async (_title, error, description) => {
  vi.mocked(runUpload).mockRejectedValue(error)
  renderAt(
    '/',
    <>
      <BulkUploadDialog open onClose={() => undefined} />
      <Toaster />
    </>,
  )
  await userEvent.click(screen.getByLabelText('JSON Data'))
  await userEvent.paste('[{"title": "A", "content": "b"}]')
  await userEvent.click(screen.getByRole('button', { name: 'Upload Posts' }))
  expect(await screen.findByText('Upload Failed')).toBeVisible()
  expect(screen.getByText(description)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Upload Posts' })).toBeEnabled()
})
