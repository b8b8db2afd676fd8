import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, contract } from '../lib/api'
import { orderedSchemas, useCatalog } from '../lib/catalog'
import { count, moment, plain } from '../lib/format'
import { useSession } from '../lib/session'
import { useAct } from '../parts/act'
import { Button } from '../parts/button'
import { CheckField, SearchField, SelectField, TextArea, TextField } from '../parts/field'
import { List } from '../parts/list'
import { Badge, Page, Section } from '../parts/page'
import { Failure, Loaded } from '../parts/states'
import { type Heard, type Members, socketAddress, tail } from './tail'

const KEPT = 500

interface Channel {
  topic: string
  members: number
  private: boolean
}

export function Realtime() {
  const channels = useQuery({ queryKey: ['realtime'], queryFn: ({ signal }) => api<{ channels: Channel[]; sockets: number }>('realtime', { signal }), refetchInterval: 5000 })
  const [chosen, setChosen] = useState<{ topic: string; isPrivate: boolean; times: number }>({ topic: 'console', isPrivate: false, times: 0 })
  const listen = (one: Channel) => setChosen({ topic: one.topic.replace(/^realtime:/, ''), isPrivate: one.private, times: chosen.times + 1 })
  return (
    <Page title="Realtime">
      <Section title="Channels">
        <Loaded result={channels}>
          {(data) => (
            <>
              <p className="muted">
                {count(data.sockets)} {data.sockets === 1 ? 'connection is' : 'connections are'} open at this gateway; a channel may have members at others.
              </p>
              <List
                label="Channels"
                rows={data.channels}
                id={(one) => `${one.topic}${one.private}`}
                empty="Nobody is on a channel."
                columns={[
                  { name: 'Channel', cell: (one) => one.topic.replace(/^realtime:/, '') },
                  { name: 'Members', end: true, cell: (one) => count(one.members) },
                  { name: 'Kind', cell: (one) => <Badge>{one.private ? 'private' : 'public'}</Badge> },
                ]}
                actions={(one) => (
                  <Button aria-label={`Listen to ${one.topic.replace(/^realtime:/, '')}`} onClick={() => listen(one)}>
                    Listen
                  </Button>
                )}
              />
            </>
          )}
        </Loaded>
      </Section>
      <Inspector key={chosen.times} start={chosen.topic} isPrivate={chosen.isPrivate} now={chosen.times > 0} />
    </Page>
  )
}

function Inspector({ start, isPrivate: startPrivate, now }: { start: string; isPrivate: boolean; now: boolean }) {
  const catalog = useCatalog()
  const queries = useQueryClient()
  const [topic, setTopic] = useState(start)
  const [schema, setSchema] = useState('public')
  const [isPrivate, setPrivate] = useState(startPrivate)
  const [state, setState] = useState('closed')
  const [heard, setHeard] = useState<Heard[]>([])
  const [members, setMembers] = useState<Members>({})
  const [text, setText] = useState('')
  const stop = useRef<() => void>(undefined)
  const listen = () => {
    setState('opening')
    setMembers({})
    stop.current = tail({
      address: socketAddress(new URL(window.location.href)),
      topic,
      schema,
      isPrivate,
      onState: (next) => {
        setState(next)
        void queries.invalidateQueries({ queryKey: ['realtime'] })
      },
      onHeard: (one) => setHeard((before) => [one, ...before].slice(0, KEPT)),
      onMembers: setMembers,
    })
  }
  useEffect(() => {
    // Chosen in the list of channels: nobody has to ask a second time.
    if (now) listen()
    return () => stop.current?.()
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  const open = state !== 'closed'
  const wanted = text.toLowerCase()
  const shown = heard.map((one, index) => ({ ...one, key: String(heard.length - index) })).filter((one) => wanted === '' || `${one.event} ${plain(one.payload)}`.toLowerCase().includes(wanted))
  return (
    <>
      <Section
        title="Inspector"
        actions={
          <span role="status">
            <Badge tone={state === 'listening' ? 'good' : state === 'refused' ? 'bad' : 'calm'}>{state}</Badge>
          </span>
        }
      >
        <div className="row bottom">
          <TextField label="Channel" value={topic} disabled={open} onChange={(change) => setTopic(change.target.value)} />
          <SelectField label="Changes of schema" value={schema} disabled={open} onChange={(change) => setSchema(change.target.value)} options={[{ value: '', label: 'none' }, ...(catalog.data ? orderedSchemas(catalog.data) : ['public'])]} />
          <CheckField label="Private" checked={isPrivate} disabled={open} onChange={(change) => setPrivate(change.target.checked)} />
          {open ? (
            <Button onClick={() => stop.current?.()}>Stop listening</Button>
          ) : (
            <Button look="primary" disabled={topic.trim() === ''} onClick={listen}>
              Start listening
            </Button>
          )}
        </div>
        <h3>Members present</h3>
        <List
          label="Members"
          rows={Object.entries(members)}
          id={([key]) => key}
          empty={state === 'listening' ? 'Nobody says to be present.' : 'Who is present is shown while you listen.'}
          columns={[
            { name: 'Key', cell: ([key]) => key },
            { name: 'State', cell: ([, metas]) => <code className="break">{metas.map(plain).join(' ').slice(0, 1000)}</code> },
          ]}
        />
        <div className="row bottom">
          <h3 className="grow">Messages</h3>
          <SearchField label="Search messages" value={text} onChange={setText} />
          <Button disabled={heard.length === 0} onClick={() => setHeard([])}>
            Clear
          </Button>
        </div>
        <List
          label="Messages"
          rows={shown}
          id={(one) => one.key}
          empty={heard.length > 0 ? 'No message has these words.' : state === 'listening' ? 'Nothing was heard yet.' : 'Start listening to see what is said.'}
          columns={[
            { name: 'When', cell: (one) => moment(one.at) },
            { name: 'Event', cell: (one) => one.event },
            { name: 'Message', cell: (one) => <code className="break">{plain(one.payload).slice(0, 2000)}</code> },
          ]}
        />
      </Section>
      <Broadcast topic={topic} isPrivate={isPrivate} />
    </>
  )
}

/** By the API and not the socket: a change of the console, which its audit log has. */
function Broadcast({ topic, isPrivate }: { topic: string; isPrivate: boolean }) {
  const session = useSession()
  const { act, busy } = useAct('realtime')
  const [event, setEvent] = useState('test')
  const [payload, setPayload] = useState('{"message": "Hello"}')
  const [error, setError] = useState<unknown>(null)
  const send = () => {
    setError(null)
    let content: unknown
    try {
      content = JSON.parse(payload)
    } catch {
      setError(new Error('The message is no JSON.'))
      return
    }
    void act('Send broadcast', () => contract('realtime/v1/api/broadcast', { method: 'POST', body: { messages: [{ topic, event, payload: content, private: isPrivate }] } }), 'Broadcast sent')
  }
  return (
    <Section title="Broadcast">
      <form
        className="stack"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          send()
        }}
      >
        <p className="muted">
          To everybody on {isPrivate ? 'the private channel' : 'the channel'} <code>{topic || '…'}</code>.
        </p>
        {error ? <Failure error={error} /> : null}
        <TextField label="Event" value={event} onChange={(change) => setEvent(change.target.value)} />
        <TextArea label="Message" value={payload} onChange={(change) => setPayload(change.target.value)} hint="JSON" />
        <div>
          <Button type="submit" busy={busy !== ''} disabled={session.read_only || topic.trim() === '' || event.trim() === ''}>
            Send broadcast
          </Button>
        </div>
      </form>
    </Section>
  )
}
