import { afterEach, expect, test, vi } from 'vitest'
import { follow } from './backups'

afterEach(() => vi.unstubAllGlobals())

function answer(...pieces: string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const piece of pieces) stream.enqueue(new TextEncoder().encode(piece))
      stream.close()
    },
  })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status: 200 })))
}

test('each step is told as it comes, however the lines are cut, and the last line is the answer', async () => {
  answer('{"step":"a","can_', 'stop":true}\n{"step":"b","can_stop":false}\n{"te', 'xt":"done"}\n')
  const steps: string[] = []
  expect(await follow('x', {}, new AbortController().signal, (step) => steps.push(`${step.step} ${step.can_stop}`))).toEqual({ text: 'done' })
  expect(steps).toEqual(['a true', 'b false'])
})

test('a failure after the first step is an error with its words', async () => {
  answer('{"step":"a","can_stop":true}\n', '{"error":{"code":"refused","message":"no room"}}\n')
  await expect(follow('x', {}, new AbortController().signal, () => undefined)).rejects.toThrow('no room')
})

test('an end that was never told is no success', async () => {
  answer('{"step":"a","can_stop":true}\n')
  await expect(follow('x', {}, new AbortController().signal, () => undefined)).rejects.toThrow('lost')
})
