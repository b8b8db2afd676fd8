import { useQuery } from '@tanstack/react-query'
import { FolderPlus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom'
import { useCatalog } from '../lib/catalog'
import { bytes, moment } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { Confirm, Dialog } from '../parts/dialog'
import { CheckField, SearchField, TextArea, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page, Section, Tabs } from '../parts/page'
import { Empty, Failure, Loaded } from '../parts/states'
import { type Bucket, type Entry, storage } from './api'
import { FileDialog } from './file-dialog'
import { DeleteFolder, MoveFiles, NewFolder, RenameFolder } from './folders'
import { Uploads } from './uploads'

function useBuckets() {
  return useQuery({ queryKey: ['buckets'], queryFn: ({ signal }) => storage.buckets(signal) })
}

export function Storage() {
  const { bucket = '' } = useParams()
  const session = useSession()
  const [params, setParams] = useSearchParams()
  const buckets = useBuckets()
  const navigate = useNavigate()
  const fresh = params.get('new') === 'bucket'
  return (
    <div className="split">
      <aside aria-label="Buckets">
        <div className="aside-head">
          <Button look="primary" icon={<FolderPlus aria-hidden="true" />} disabled={session.read_only} onClick={() => setParams({ new: 'bucket' })}>
            New bucket
          </Button>
        </div>
        <div className="names">
          <Loaded result={buckets}>
            {(list) =>
              list.length === 0 ? (
                <Empty title="No buckets yet." />
              ) : (
                <ul aria-label="Buckets">
                  {list.map((one) => (
                    <li key={one.id} className={`name-row ${one.id === bucket ? 'here' : ''}`}>
                      <Link to={`/storage/${encodeURIComponent(one.id)}`} aria-current={one.id === bucket ? 'page' : undefined}>
                        {one.name}
                      </Link>
                      {one.public ? <Badge tone="warn">public</Badge> : null}
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </div>
      </aside>
      <div>
        {bucket === '' ? (
          <Page title="Storage">
            <Empty title="Choose a bucket at the left, or make a new one." />
          </Page>
        ) : (
          <Loaded result={buckets}>
            {(list) => {
              const found = list.find((one) => one.id === bucket)
              return found ? <BucketPage key={bucket} bucket={found} /> : <Empty title={`There is no bucket ${bucket}.`} />
            }}
          </Loaded>
        )}
      </div>
      {fresh ? <BucketDialog bucket={null} onClose={() => setParams({})} onSaved={(id) => void navigate(`/storage/${encodeURIComponent(id)}`)} /> : null}
    </div>
  )
}

function BucketDialog({ bucket, onClose, onSaved }: { bucket: Bucket | null; onClose: () => void; onSaved: (id: string) => void }) {
  const { act, busy } = useAct('buckets')
  const [name, setName] = useState(bucket?.name ?? '')
  const [open, setOpen] = useState(bucket?.public ?? false)
  const [limit, setLimit] = useState(bucket?.file_size_limit ? String(bucket.file_size_limit) : '')
  const [types, setTypes] = useState((bucket?.allowed_mime_types ?? []).join('\n'))
  const [error, setError] = useState<unknown>(null)
  const save = () =>
    void act(bucket ? 'Save bucket' : 'New bucket', async () => {
      try {
        const allowed = types.split(/\s+/).filter(Boolean)
        const body = { public: open, file_size_limit: limit === '' ? null : Number(limit), allowed_mime_types: allowed.length > 0 ? allowed : null }
        if (bucket) await storage.change(bucket.id, { id: bucket.id, name: bucket.name, ...body })
        else await storage.create({ id: name.trim(), name: name.trim(), ...body })
        onClose()
        onSaved(bucket?.id ?? name.trim())
      } catch (failed) {
        setError(failed)
        throw failed
      }
    }, bucket ? 'Bucket saved' : 'Bucket made')
  return (
    <Dialog
      title={bucket ? `Edit bucket ${bucket.name}` : 'New bucket'}
      onClose={onClose}
      onSubmit={save}
      locked={busy !== ''}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy !== ''} disabled={name.trim() === ''}>
            {bucket ? 'Save' : 'Create bucket'}
          </Button>
        </>
      }
    >
      {error ? <Failure error={error} /> : null}
      <TextField label="Name" value={name} disabled={bucket !== null} onChange={(event) => setName(event.target.value)} />
      <CheckField label="Public bucket" checked={open} onChange={(event) => setOpen(event.target.checked)} hint="Anybody who knows a file's address reads it, without a policy" />
      <TextField label="File size limit in bytes" inputMode="numeric" value={limit} onChange={(event) => setLimit(event.target.value)} />
      <TextArea label="Allowed MIME types" rows={3} value={types} onChange={(event) => setTypes(event.target.value)} hint="One a line, such as image/*; none allows all" />
    </Dialog>
  )
}

type Open = 'edit' | 'empty' | 'drop' | 'folder' | 'delete' | 'move' | { folder: string; what: 'delete' | 'move' } | null

function BucketPage({ bucket }: { bucket: Bucket }) {
  const session = useSession()
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const folder = params.get('path') ?? ''
  const [tab, setTab] = useState('files')
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<Open>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set<string>())
  const [shown, setShown] = useState('')
  const [page, setPage] = useState(0)
  const { act } = useAct('files', 'buckets')
  const files = useQuery({ queryKey: ['files', bucket.id, folder, search, page], queryFn: ({ signal }) => storage.list(bucket.id, folder, search, page * 200, signal), placeholderData: (before) => before })
  const at = (name: string) => (folder === '' ? name : `${folder}/${name}`)
  const go = (path: string) => {
    setChosen(new Set())
    setPage(0)
    setShown('')
    setParams(path === '' ? {} : { path })
  }
  const parts = folder === '' ? [] : folder.split('/')
  const close = () => setOpen(null)
  return (
    <Page
      title={bucket.name}
      lead={
        <span className="row">
          {bucket.public ? <Badge tone="warn">public</Badge> : <Badge>private</Badge>}
          {bucket.file_size_limit ? <span>at most {bytes(bucket.file_size_limit)} a file</span> : null}
          {bucket.allowed_mime_types?.length ? <span>{bucket.allowed_mime_types.join(', ')}</span> : null}
        </span>
      }
      actions={
        <>
          <Button disabled={session.read_only} onClick={() => setOpen('edit')}>
            Edit bucket
          </Button>
          <Button disabled={session.read_only} onClick={() => setOpen('empty')}>
            Empty bucket
          </Button>
          <Button look="danger" disabled={session.read_only} onClick={() => setOpen('drop')}>
            Delete bucket
          </Button>
        </>
      }
    >
      <Tabs
        label="Bucket"
        tabs={[
          { id: 'files', label: 'Files' },
          { id: 'policies', label: 'Policies' },
        ]}
        current={tab}
        onChange={setTab}
      >
        {tab === 'policies' ? (
          <StoragePolicies bucket={bucket.id} />
        ) : (
          <>
            <nav aria-label="Folders" className="row">
              <button type="button" className="link" onClick={() => go('')}>
                {bucket.name}
              </button>
              {parts.map((part, index) => (
                <span key={parts.slice(0, index + 1).join('/')} className="row">
                  /
                  <button type="button" className="link" aria-current={index === parts.length - 1 ? 'location' : undefined} onClick={() => go(parts.slice(0, index + 1).join('/'))}>
                    {part}
                  </button>
                </span>
              ))}
            </nav>
            <div className="row">
              <div className="grow">
                <SearchField label="Search files" value={search} onChange={setSearch} />
              </div>
              <Button disabled={session.read_only} icon={<FolderPlus aria-hidden="true" />} onClick={() => setOpen('folder')}>
                New folder
              </Button>
            </div>
            <Uploads bucket={bucket.id} folder={folder} onDone={() => void act('Upload', async () => undefined)}>
            {chosen.size > 0 ? (
              <div className="pending" role="status">
                <span className="grow">{chosen.size} chosen</span>
                <Button onClick={() => setChosen(new Set())}>Choose none</Button>
                <Button disabled={session.read_only} onClick={() => setOpen('move')}>
                  Move files
                </Button>
                <Button look="danger" icon={<Trash2 aria-hidden="true" />} disabled={session.read_only} onClick={() => setOpen('delete')}>
                  Delete files
                </Button>
              </div>
            ) : null}
            <Loaded result={files}>
              {(list) => (
                <>
                  <List<Entry>
                    label="Files"
                    rows={list.filter((entry) => entry.name !== '.emptyFolderPlaceholder')}
                    id={(entry) => entry.name}
                    empty={search === '' ? 'This folder is empty.' : 'No file is called so.'}
                    columns={[
                      {
                        name: 'Name',
                        cell: (entry) =>
                          entry.id === null ? (
                            <button type="button" className="link" onClick={() => go(at(entry.name))}>
                              {entry.name}/
                            </button>
                          ) : (
                            <span className="row">
                              <input
                                type="checkbox"
                                aria-label={`Choose ${entry.name}`}
                                checked={chosen.has(entry.name)}
                                onChange={() => {
                                  const next = new Set(chosen)
                                  if (!next.delete(entry.name)) next.add(entry.name)
                                  setChosen(next)
                                }}
                              />
                              <button type="button" className="link break" onClick={() => setShown(entry.name)}>
                                {entry.name}
                              </button>
                            </span>
                          ),
                      },
                      { name: 'Type', wide: true, cell: (entry) => entry.metadata?.mimetype ?? (entry.id === null ? 'folder' : '–') },
                      { name: 'Size', end: true, cell: (entry) => bytes(entry.metadata?.size) },
                      { name: 'Changed', wide: true, cell: (entry) => moment(entry.updated_at) },
                    ]}
                    actions={(entry) =>
                      entry.id === null ? (
                        <>
                          <Button disabled={session.read_only} aria-label={`Rename folder ${entry.name}`} onClick={() => setOpen({ folder: entry.name, what: 'move' })}>
                            Rename
                          </Button>{' '}
                          <Button look="danger" disabled={session.read_only} aria-label={`Delete folder ${entry.name}`} onClick={() => setOpen({ folder: entry.name, what: 'delete' })}>
                            Delete
                          </Button>
                        </>
                      ) : null
                    }
                  />
                  {page > 0 || list.length === 200 ? (
                    <nav className="row" aria-label="Pages">
                      <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
                        Previous page
                      </Button>
                      <Button disabled={list.length < 200} onClick={() => setPage(page + 1)}>
                        Next page
                      </Button>
                    </nav>
                  ) : null}
                  {shown === '' ? null : <FileDialog key={at(shown)} bucket={bucket} path={at(shown)} entry={list.find((entry) => entry.name === shown)} onClose={() => setShown('')} />}
                </>
              )}
            </Loaded>
            </Uploads>
          </>
        )}
      </Tabs>
      {open === 'edit' ? <BucketDialog bucket={bucket} onClose={close} onSaved={() => undefined} /> : null}
      {open === 'folder' ? (
        <NewFolder
          onClose={close}
          onMake={async (name) => {
            await storage.makeFolder(bucket.id, at(name))
            await act('New folder', async () => undefined)
            go(at(name))
          }}
        />
      ) : null}
      {open === 'move' ? <MoveFiles bucket={bucket.id} names={[...chosen]} folder={folder} onClose={close} onDone={() => (setChosen(new Set()), void act('Move', async () => undefined))} /> : null}
      {open !== null && typeof open === 'object' ? (
        open.what === 'delete' ? (
          <DeleteFolder bucket={bucket.id} path={at(open.folder)} onClose={close} onDone={() => void act('Delete', async () => undefined)} />
        ) : (
          <RenameFolder bucket={bucket.id} path={at(open.folder)} onClose={close} onDone={() => void act('Rename', async () => undefined)} />
        )
      ) : null}
      {open === 'empty' ? (
        <Confirm title="Empty bucket" action="Empty bucket" typed={bucket.name} onClose={close} onConfirm={() => storage.empty(bucket.id).then(() => act('Empty', async () => undefined, 'Bucket emptied'))}>
          <p>All files of {bucket.name} are deleted. This cannot be taken back.</p>
        </Confirm>
      ) : null}
      {open === 'drop' ? (
        <Confirm
          title="Delete bucket"
          action="Delete bucket"
          typed={bucket.name}
          onClose={close}
          onConfirm={async () => {
            await storage.drop(bucket.id)
            void navigate('/storage')
            void act('Delete', async () => undefined, 'Bucket deleted')
          }}
        >
          <p>Delete the bucket {bucket.name}? It has to be empty.</p>
        </Confirm>
      ) : null}
      {open === 'delete' ? (
        <Confirm
          title="Delete files"
          action="Delete files"
          onClose={close}
          onConfirm={async () => {
            await storage.remove(bucket.id, [...chosen].map(at))
            setChosen(new Set())
            void act('Delete', async () => undefined, 'Files deleted')
          }}
        >
          <p>Delete {[...chosen].join(', ')}? This cannot be taken back.</p>
        </Confirm>
      ) : null}
    </Page>
  )
}

function StoragePolicies({ bucket }: { bucket: string }) {
  const catalog = useCatalog()
  return (
    <Section title="Policies of storage.objects" actions={<Link to={`/schema?schema=storage&table=objects&tab=policies&new=policy&bucket=${encodeURIComponent(bucket)}`}>New policy</Link>}>
      <Loaded result={catalog}>
        {(data) => {
          const policies = data.tables.find((table) => table.schema === 'storage' && table.name === 'objects')?.policies ?? []
          return (
            <List
              label="Policies"
              rows={policies}
              id={(policy) => policy.name}
              empty="No policy: only the service role reads and writes files."
              columns={[
                { name: 'Name', cell: (policy) => policy.name },
                { name: 'Command', cell: (policy) => policy.command },
                { name: 'Roles', cell: (policy) => policy.roles.join(', ') },
                { name: 'Rule', cell: (policy) => <code className="break">{policy.using ?? policy.check}</code> },
                { name: 'Names this bucket', wide: true, cell: (policy) => (`${policy.using ?? ''}${policy.check ?? ''}`.includes(`'${bucket}'`) ? 'yes' : '') },
              ]}
            />
          )
        }}
      </Loaded>
    </Section>
  )
}
