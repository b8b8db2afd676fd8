import { dateTime } from '@/lib/dates'
import { Button, buttonClass } from '@/ui/button'
import { Dialog, DialogActions } from '@/ui/dialog'
import { type Held, type Lead, detailsOf, forms, heldDetails, numberOf } from './lead'

interface LeadDialogProps {
  lead: Lead | null
  busy: boolean
  onClose: () => void
  onToggle: (lead: Lead) => void
}

export function LeadDialog({ lead, busy, onClose, onToggle }: LeadDialogProps) {
  return (
    <Dialog open={lead !== null} onClose={onClose} title={lead ? forms[lead.form].label : ''}>
      {lead ? (
        <div className="grid gap-6">
          <Details rows={[...numberOf(lead), ['Received', dateTime(lead.createdAt)], ...detailsOf(lead)]} />
          <DialogActions>
            <a href={`mailto:${lead.email}`} className={buttonClass({ variant: 'outline' })}>
              Write an e-mail
            </a>
            {lead.phone === '' ? null : (
              <a href={`tel:${lead.phone.replace(/[^+\d]/g, '')}`} className={buttonClass({ variant: 'outline' })}>
                Call
              </a>
            )}
            <Button busy={busy} onClick={() => onToggle(lead)}>
              {lead.status === 'new' ? 'Mark as handled' : 'Mark as new'}
            </Button>
          </DialogActions>
        </div>
      ) : null}
    </Dialog>
  )
}

interface HeldDialogProps {
  held: Held | null
  busy: boolean
  onClose: () => void
  onRelease: (held: Held) => void
}

export function HeldDialog({ held, busy, onClose, onRelease }: HeldDialogProps) {
  return (
    <Dialog open={held !== null} onClose={onClose} title="Held submission" locked={busy}>
      {held ? (
        <div className="grid gap-6">
          <Details
            rows={[
              ['Form', forms[held.form].label],
              ['Received', dateTime(held.receivedAt)],
              ['Held because', held.reason],
              ...(held.releasedAt ? [['Released', dateTime(held.releasedAt)] as [string, string]] : []),
              ...heldDetails(held),
            ]}
          />
          {held.releasedAt ? null : (
            <DialogActions>
              <p className="mr-auto max-w-[36ch] text-sm text-granite-600">Released, it becomes a lead and its mails are sent, the sender's confirmation included.</p>
              <Button busy={busy} onClick={() => onRelease(held)}>
                Release
              </Button>
            </DialogActions>
          )}
        </div>
      ) : null}
    </Dialog>
  )
}

function Details({ rows }: { rows: readonly [string, string][] }) {
  return (
    <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[11rem_1fr]">
      {rows.map(([label, words]) => (
        <div key={label} className="sm:col-span-2 sm:grid sm:grid-cols-subgrid">
          <dt className="text-sm text-granite-600">{label}</dt>
          <dd className="min-w-0 break-words whitespace-pre-wrap">{words}</dd>
        </div>
      ))}
    </dl>
  )
}
