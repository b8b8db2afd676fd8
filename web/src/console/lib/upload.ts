import { API, ApiError } from './api'

export interface Upload {
  done: Promise<unknown>
  stop: () => void
}

/** A body whose way there can be watched and stopped, which fetch cannot show. */
export function upload(path: string, { method = 'POST', body, headers, token, onProgress }: { method?: string; body: Blob; headers: Record<string, string>; token: string; onProgress: (part: number) => void }): Upload {
  const request = new XMLHttpRequest()
  const done = new Promise<unknown>((resolve, reject) => {
    request.open(method, API + path)
    request.setRequestHeader('x-console-token', token)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    })
    request.addEventListener('load', () => {
      const answer: unknown = parsed(request.responseText)
      if (request.status < 300) resolve(answer)
      else reject(new ApiError(request.status, answer))
    })
    request.addEventListener('error', () => reject(new Error('The connection was lost.')))
    request.addEventListener('abort', () => reject(new Error('Stopped.')))
    request.send(body)
  })
  return { done, stop: () => request.abort() }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
