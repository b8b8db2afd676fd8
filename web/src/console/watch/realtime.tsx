import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../lib/api'
import { count, moment, plain } from '../lib/format'
import { useSession } from '../lib/session'
import { Button } from '../parts/button'
import { CheckField, SelectField, TextArea, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page, Section } from '../parts/page'
import { Failure, Loaded } from '../parts/states'
import { type Heard, type Tail, socketAddress, tail } from './tail'

const KEPT = 500

export function Realtime() {
  const channels = useQuery({ queryKey: ['realtime'], queryFn: ({ signal }) => api<{ channels: { topic: string; members: number; private: boolean }[]; sockets: number }>('realtime', { signal }), refetchInterval: 5000 })
  const [topic, setTopic] = useState('')
  return (
    <Page title="Realtime">
      <Section title="Channels">
        <Loaded result={channels}>
          {(data) => (
            <>
              <p className="muted">{count(data.sockets)} sockets are open.</p>
              <List
                label="Channels"
                rows={data.channels}
                id={(one) => `${one.topic}${one.private}`}
                empty="Nobody is on a channel."
                columns={[
                  { name: 'Channel', cell: (one) => one.topic },
                  { name: 'Members', end: true, cell: (one) => count(one.members) },
                  { name: 'Kind', cell: (one) => <Badge>{one.private ? 'private' : 'public'}</Badge> },
                ]}
                actions={(one) => (
                  <Button aria-label={`Listen to ${one.topic}`} onClick={() => setTopic(one.topic.replace(/^realtime:/, ''))}>
                    Listen
                  </Button>
                )}
              />
            </>
          )}
        </Loaded>
      </Section>
      <Inspector key={topic} start={topic} />
    </Page>
  )
}

function Inspector({ start }: { start: string }) {
  const session = useSession()
  const [topic, setTopic] = useState(start || 'console')
  const [schema, setSchema] = useState('public')
  const [isPrivate, setPrivate] = useState(false)
  const [state, setState] = useState('closed')
  const [error, setError] = useState<unknown>(null)
  const [heard, setHeard] = useState<Heard[]>([])
  const [event, setEvent] = useState('test')
  const [payload, setPayload] = useState('{}')
  const running = useRef<Tail | null>(null)
  useEffect(() => () => running.current?.stop(), [])
  const listen = () => {
    setState('opening')
    setError(null)
    tail({
      address: socketAddress(session.api_url, session.publishable_key ?? '', new URL(window.location.href)),
      topic,
      schema,
      isPrivate,
      onState: setState,
      onHeard: (one) => setHeard((before) => [one, ...before].slice(0, KEPT)),
    }).then(
      (opened) => {
        running.current = opened
      },
      (failed: unknown) => {
        setError(failed)
        setState('closed')
      },
    )
  }
  const send = () => {
    try {
      running.current?.send(event, JSON.parse(payload))
    } catch {
      setError(new Error('The message is no JSON.'))
    }
  }
  const open = state !== 'closed'
  return (
    <Section title="Tail" actions={<Badge tone={state === 'listening' ? 'good' : state === 'refused' ? 'bad' : 'calm'}>{state}</Badge>}>
      <div className="row bottom">
        <TextField label="Channel" value={topic} disabled={open} onChange={(change) => setTopic(change.target.value)} />
        <SelectField label="Changes of schema" value={schema} disabled={open} onChange={(change) => setSchema(change.target.value)} options={[{ value: '', label: 'none' }, 'public']} />
        <CheckField label="Private" checked={isPrivate} disabled={open} onChange={(change) => setPrivate(change.target.checked)} />
        {open ? (
          <Button onClick={() => running.current?.stop()}>Stop listening</Button>
        ) : (
          <Button look="primary" disabled={topic.trim() === ''} onClick={listen}>
            Start listening
          </Button>
        )}
        <Button disabled={heard.length === 0} onClick={() => setHeard([])}>
          Clear
        </Button>
      </div>
      {error ? <Failure error={error} /> : null}
      {state === 'listening' ? (
        <details>
          <summary>Broadcast a message</summary>
          <div className="stack">
            <TextField label="Event" value={event} onChange={(change) => setEvent(change.target.value)} />
            <TextArea label="Message" value={payload} onChange={(change) => setPayload(change.target.value)} />
            <div>
              <Button onClick={send}>Send message</Button>
            </div>
          </div>
        </details>
      ) : null}
      <List
        label="Messages"
        rows={heard.map((one, index) => ({ ...one, key: String(heard.length - index) }))}
        id={(one) => one.key}
        empty="Nothing was heard yet."
        columns={[
          { name: 'When', cell: (one) => moment(one.at) },
          { name: 'Event', cell: (one) => one.event },
          { name: 'Message', cell: (one) => <code className="break">{plain(one.payload).slice(0, 2000)}</code> },
        ]}
      />
    </Section>
  )
}
