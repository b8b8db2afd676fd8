import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../lib/api'
import { moment } from '../lib/format'
import { Button, CopyButton } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { SearchField } from '../parts/field'
import { List } from '../parts/list'
import { Code, Facts, Page, Tabs } from '../parts/page'
import { Loaded } from '../parts/states'

interface Letter {
  id: string
  at: string
  from: string
  to: string[]
  subject: string
  kind?: string
}

interface WholeLetter extends Letter {
  text: string | null
  html: string | null
  headers: [string, string][]
}

export function Mail() {
  const [text, setText] = useState('')
  const [shown, setShown] = useState('')
  const mails = useQuery({ queryKey: ['mail'], queryFn: ({ signal }) => api<{ trap: boolean; mails: Letter[] }>('mail', { signal }), refetchInterval: 5000 })
  return (
    <Page title="Mail" lead="Emails that the mail trap caught, newest first">
      <Loaded result={mails}>
        {(data) => (
          <>
            {data.trap ? null : <p className="note">A mail server is set: emails go there, and the trap catches none.</p>}
            <SearchField label="Search mail" value={text} onChange={setText} />
            <List
              label="Emails"
              rows={data.mails.filter((letter) => `${letter.subject} ${letter.to.join(' ')}`.toLowerCase().includes(text.toLowerCase()))}
              id={(letter) => letter.id}
              empty="No emails."
              columns={[
                { name: 'When', cell: (letter) => moment(letter.at) },
                { name: 'To', cell: (letter) => letter.to.join(', ') },
                {
                  name: 'Subject',
                  cell: (letter) => (
                    <button type="button" className="link" onClick={() => setShown(letter.id)}>
                      {letter.subject || '(none)'}
                    </button>
                  ),
                },
                { name: 'Kind', wide: true, cell: (letter) => letter.kind ?? '' },
              ]}
            />
          </>
        )}
      </Loaded>
      {shown ? <LetterDialog id={shown} onClose={() => setShown('')} /> : null}
    </Page>
  )
}

/** Where a letter leads, from its HTML, which nothing of runs here, and its text. */
export function linksOf({ html, text }: Pick<WholeLetter, 'html' | 'text'>): { name: string; address: string }[] {
  const found = new Map<string, string>()
  const take = (address: string, name: string) => {
    // Nothing but pages: an address of another kind could be a script.
    if (/^https?:\/\//i.test(address) && !found.has(address)) found.set(address, name.trim() || 'Link')
  }
  for (const link of new DOMParser().parseFromString(html ?? '', 'text/html').querySelectorAll('a[href]')) take(link.getAttribute('href')?.trim() ?? '', link.textContent ?? '')
  for (const [address] of (text ?? '').matchAll(/https?:\/\/[^\s<>"')\]]+/gi)) take(address, 'In the text')
  return [...found].map(([address, name]) => ({ name, address }))
}

function LetterDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [tab, setTab] = useState('')
  const letter = useQuery({ queryKey: ['mail', id], queryFn: ({ signal }) => api<WholeLetter>(`mail/${encodeURIComponent(id)}`, { signal }) })
  return (
    <Dialog title="Email" wide onClose={onClose} actions={<Button onClick={onClose}>Close email</Button>}>
      <Loaded result={letter}>
        {(data) => {
          const links = linksOf(data)
          const current = tab || (data.html ? 'html' : 'text')
          return (
            <>
              <Facts
                facts={[
                  ['Subject', data.subject],
                  ['From', data.from],
                  ['To', data.to.join(', ')],
                  ['When', moment(data.at)],
                ]}
              />
              <Tabs
                label="Email"
                tabs={[
                  { id: 'html', label: 'As it looks' },
                  { id: 'text', label: 'Text' },
                  { id: 'links', label: `Links (${links.length})` },
                  { id: 'headers', label: 'Headers' },
                ]}
                current={current}
                onChange={setTab}
              >
                {/* No script runs in it and no link of it opens this page. */}
                {current === 'html' ? data.html ? <iframe className="mail-frame" title={`Email: ${data.subject}`} sandbox="" srcDoc={data.html} /> : <p>It has no HTML.</p> : null}
                {current === 'text' ? <Code label="Text of the email">{data.text ?? ''}</Code> : null}
                {current === 'links' ? (
                  <List
                    label="Links"
                    rows={links}
                    id={(link) => link.address}
                    empty="It has no links."
                    columns={[
                      { name: 'Link', cell: (link) => link.name },
                      {
                        name: 'Address',
                        cell: (link) => (
                          <a href={link.address} target="_blank" rel="noreferrer noopener" className="break">
                            {link.address}
                          </a>
                        ),
                      },
                    ]}
                    actions={(link) => <CopyButton text={link.address} label="Copy link" />}
                  />
                ) : null}
                {current === 'headers' ? <Code label="Headers of the email">{data.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</Code> : null}
              </Tabs>
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
