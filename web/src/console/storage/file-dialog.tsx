import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { contractResponse } from '../lib/api'
import { bytes, download, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button, CopyButton } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { SelectField, TextField } from '../parts/field'
import { Code, Facts } from '../parts/page'
import { Loaded } from '../parts/states'
import { type Bucket, type Entry, escaped, storage } from './api'

/** What is fetched to be shown; a film may be larger than a text. */
const SHOWN_AT_MOST = 5_000_000
const PLAYED_AT_MOST = 100_000_000

const validities = [
  { value: '60', label: 'one minute' },
  { value: '3600', label: 'one hour' },
  { value: '86400', label: 'one day' },
  { value: '604800', label: 'one week' },
  { value: '31536000', label: 'one year' },
]


/** One file: what is in it, its links, another name or place. */
export function FileDialog({ bucket, path, entry, onClose }: { bucket: Bucket; path: string; entry: Entry | undefined; onClose: () => void }) {
  const session = useSession()
  const { act, busy } = useAct('files')
  const [link, setLink] = useState('')
  const [seconds, setSeconds] = useState('3600')
  const [to, setTo] = useState(path)
  const [doomed, setDoomed] = useState(false)
  const type = entry?.metadata?.mimetype ?? ''
  const picture = /^image\/(png|jpeg|gif|webp|avif)$/.test(type)
  const film = /^(video|audio)\/(mp4|webm|ogg|mpeg|wav|x-wav|aac|flac|quicktime)$/.test(type)
  const text = /^text\/|json|javascript|xml/.test(type) && !picture
  const shown = picture || text || film
  const small = (entry?.metadata?.size ?? 0) <= (film ? PLAYED_AT_MOST : SHOWN_AT_MOST)
  const preview = useQuery({
    queryKey: ['file', bucket.id, path],
    enabled: small && shown,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const blob = await (await contractResponse(storage.readPath(bucket.id, path), { signal })).blob()
      return picture || film ? { url: URL.createObjectURL(film ? new Blob([blob], { type }) : blob), text: '' } : { url: '', text: (await blob.text()).slice(0, 20_000) }
    },
  })
  const url = preview.data?.url ?? ''
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  const save = () => void act('Download', async () => download(path.split('/').at(-1) ?? path, await (await contractResponse(storage.readPath(bucket.id, path))).blob(), type))
  const address = `${session.api_url}/storage/v1/object/public/${encodeURIComponent(bucket.id)}/${escaped(path)}`
  return (
    <Dialog
      side
      title={path}
      onClose={onClose}
      actions={
        <>
          <Button onClick={save} busy={busy === 'Download'}>
            Download
          </Button>
          <Button
            onClick={() =>
              void act('Make link', async () => {
                const { signedURL } = await storage.sign(bucket.id, path, Number(seconds))
                setLink(signedURL.startsWith('http') ? signedURL : `${session.api_url}/storage/v1${signedURL}`)
              })
            }
          >
            Make signed link
          </Button>
          <Button look="danger" disabled={session.read_only} onClick={() => setDoomed(true)}>
            Delete file
          </Button>
        </>
      }
    >
      {!shown ? (
        <p>{type === 'application/pdf' ? 'A PDF is not shown here, for it may hold scripts: download it.' : `There is no preview of ${type || 'this type'}.`}</p>
      ) : !small ? (
        <p>Too large to show here.</p>
      ) : (
        <Loaded result={preview} what="Fetching the file">
          {(data) =>
            data.url === '' ? (
              <Code label={`Text of ${path}`}>{data.text}</Code>
            ) : type.startsWith('video/') ? (
              // What people upload brings no captions along.
              // oxlint-disable-next-line jsx-a11y/media-has-caption
              <video controls src={data.url} aria-label={`Preview of ${path}`} className="preview" />
            ) : film ? (
              // oxlint-disable-next-line jsx-a11y/media-has-caption
              <audio controls src={data.url} aria-label={`Preview of ${path}`} className="preview" />
            ) : (
              <img src={data.url} alt={`Preview of ${path}`} className="preview" />
            )
          }
        </Loaded>
      )}
      <Facts
        facts={[
          ['Size', bytes(entry?.metadata?.size)],
          ['Type', type],
          ['Changed', moment(entry?.updated_at)],
        ]}
      />
      {bucket.public ? (
        <>
          <Code label="Public address">{address}</Code>
          <CopyButton text={address} label="Copy public address" />
        </>
      ) : null}
      <SelectField label="A signed link is good for" value={seconds} onChange={(event) => (setSeconds(event.target.value), setLink(''))} options={validities} />
      {link ? (
        <>
          <Code label="Signed link">{link}</Code>
          <CopyButton text={link} label="Copy link" />
          <p className="hint">Good for {validities.find(({ value }) => value === seconds)?.label}.</p>
        </>
      ) : null}
      <div className="row bottom">
        <div className="grow">
          <TextField label="Path" value={to} disabled={session.read_only} onChange={(event) => setTo(event.target.value)} />
        </div>
        <Button
          disabled={session.read_only || to === path || to.trim() === ''}
          onClick={() => void act('Move', () => storage.move(bucket.id, path, to), 'File moved').then((done) => done && onClose())}
        >
          Move or rename
        </Button>
      </div>
      {doomed ? (
        <Confirm title="Delete file" action="Delete file" onClose={() => setDoomed(false)} onConfirm={() => storage.remove(bucket.id, [path]).then(() => act('Delete', async () => undefined, 'File deleted')).then(onClose)}>
          <p>Delete {path}? This cannot be taken back.</p>
        </Confirm>
      ) : null}
    </Dialog>
  )
}
