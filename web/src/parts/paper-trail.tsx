/** The proof as it looks: the walk of one container from pickup to proof, and the two papers at its ends. Drawn, and marked as samples. */
import type { ReactNode } from 'react'
import { identifiers, samples } from '@/content/samples'
import { company } from '@/content/site'
import { SampleMark } from './sample-mark'
import { SectionHeading } from './section'

const { container: CONTAINER, ...ids } = identifiers

const walk: { time: string; title: string; text: string; scene: ReactNode }[] = [
  {
    time: 'Mon 8:40',
    title: 'Sealed at your door',
    text: 'Closed, weighed, labeled. The label is its name from here on.',
    scene: (
      <>
        <path d="M20 20h52v84H20z" fill="#0f5d6b" />
        <path d="M28 28h36v30H28z" fill="#b9d9dc" />
        <circle cx="64" cy="68" r="2.5" fill="#f4b93a" />
        <path d="M84 66h44v38H84z" fill="#c8372d" />
        <path d="M80 58h52v10H80z" fill="#f4f7f7" />
        <path d="M94 76h24v18H94z" fill="#fff" />
        <path d="M97 80v10M100 80v10M104 80v10M107 80v10M112 80v10M115 80v10" stroke="#132a33" strokeWidth="1.6" />
      </>
    ),
  },
  {
    time: 'Mon 9:05',
    title: 'On the road',
    text: 'A closed, marked vehicle with the shipping paper in its door.',
    scene: (
      <>
        <path d="M0 100h150" stroke="#8fc0c5" strokeDasharray="10 7" strokeWidth="2" />
        <path d="M18 40h72v50H18z" fill="#fff" stroke="#0f5d6b" strokeWidth="2" />
        <path d="M90 54h24l16 18v18H90z" fill="#0f5d6b" />
        <path d="M96 59h16l10 12H96z" fill="#b9d9dc" />
        <path d="M46 56h16v16H46z" transform="rotate(45 54 64)" fill="#fff" stroke="#c8372d" strokeWidth="2" />
        <text x="22" y="48" fontSize="5" fontFamily="Arial" fill="#4b5e67">{`USDOT ${ids.usdot}${samples.papers ? ' SAMPLE' : ''}`}</text>
        <circle cx="40" cy="92" r="9" fill="#132a33" /><circle cx="40" cy="92" r="3.5" fill="#b9d9dc" />
        <circle cx="110" cy="92" r="9" fill="#132a33" /><circle cx="110" cy="92" r="3.5" fill="#b9d9dc" />
      </>
    ),
  },
  {
    time: 'Mon 14:20',
    title: 'Scanned at the depot',
    text: 'What arrived is compared with what left. A gap is a phone call.',
    scene: (
      <>
        <path d="M12 52 75 22l63 30v52H12z" fill="#0c4854" />
        <path d="M28 62h40v42H28zM82 62h40v42H82z" fill="#132a33" />
        <path d="M28 68h40M28 76h40M28 84h40M82 68h40" stroke="#0f5d6b" strokeWidth="2" />
        <path d="M88 84h22v20H88z" fill="#c8372d" />
        <path d="m126 70-24 22" stroke="#f4b93a" strokeWidth="2.5" strokeDasharray="3 3" />
        <text x="75" y="46" textAnchor="middle" fontSize="8" fontWeight="700" fontFamily="Arial" fill="#f4b93a">DEPOT</text>
      </>
    ),
  },
  {
    time: 'Tue 6:10',
    title: 'Treated',
    text: 'Steam for most, fire for what must burn. Temperature and time are recorded.',
    scene: (
      <>
        <path d="M22 44h106a10 10 0 0 1 10 10v30a10 10 0 0 1-10 10H22z" fill="#b9d9dc" stroke="#0f5d6b" strokeWidth="2" />
        <circle cx="34" cy="69" r="24" fill="#0f5d6b" /><circle cx="34" cy="69" r="16" fill="#8fc0c5" />
        <path d="M34 53v32M18 69h32" stroke="#0f5d6b" strokeWidth="3" />
        <path d="M72 34q6-8 0-16M90 34q6-8 0-16M108 34q6-8 0-16" stroke="#8fc0c5" strokeWidth="3" fill="none" />
        <path d="M80 62h44v16H80z" fill="#132a33" />
        <text x="102" y="73.5" textAnchor="middle" fontSize="9" fontWeight="700" fontFamily="Arial" fill="#f4b93a">135 °C</text>
      </>
    ),
  },
  {
    time: 'Tue 8:00',
    title: 'Proved',
    text: 'The certificate is in your portal, beside the paper you signed.',
    scene: (
      <>
        <path d="M38 12h66l14 14v82H38z" fill="#fff" stroke="#0f5d6b" strokeWidth="2" />
        <path d="M104 12v14h14" fill="#d8eaeb" stroke="#0f5d6b" strokeWidth="2" />
        <path d="M50 38h54M50 48h54M50 58h36" stroke="#8fc0c5" strokeWidth="3" />
        <circle cx="96" cy="82" r="14" fill="#f4b93a" />
        <path d="m89 82 5 6 9-11" stroke="#0a2a35" strokeWidth="3.2" fill="none" />
      </>
    ),
  },
]

export function TrackingWalk() {
  return (
    <>
      <SectionHeading title="One container, from pickup to proof" lead={<>Follow sharps container {CONTAINER} from a clinic’s back door to the paper that ends your responsibility. <SampleMark of="papers" /></>} />
      <ol className="grid gap-x-5 gap-y-2.5 sm:grid-cols-5">
        {walk.map(({ time, title, text, scene }) => (
          <li key={title} className="grid grid-cols-[5rem_minmax(0,1fr)] items-center gap-x-3.5 sm:block">
            <svg viewBox="0 0 150 112" aria-hidden="true" className="w-full rounded-lg bg-harbor-50">
              {scene}
            </svg>
            <div className="max-sm:grid max-sm:grid-cols-[1fr_auto] max-sm:items-baseline sm:mt-4 sm:border-t-2 sm:border-dotted sm:border-harbor-300 sm:pt-3">
              <p className="text-xs font-semibold text-gold-700 tabular-nums max-sm:order-1">{time}</p>
              <h3 className="text-sm sm:text-h4">{title}</h3>
              <p className="text-xs text-granite-600 max-sm:order-2 max-sm:col-span-2 sm:mt-1 sm:text-sm">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

export function SamplePapers() {
  return (
    <>
      <SectionHeading title="The two papers you keep" lead={<>What you sign at the door, and what comes back, field by field. <SampleMark of="papers" /></>} />
      <div className="grid gap-8 lg:grid-cols-2">
        <Paper
          title="Shipping paper"
          number={ids.shippingPaper}
          caption="Signed at pickup by both sides. Your copy stays with you."
          rows={[
            ['Generator', `${ids.generator}, ${ids.generatorCity}`],
            ['Transporter', `${company.name}, permit ${ids.transporterPermit}, USDOT ${ids.usdot}`],
            ['Proper shipping name', 'UN3291, Regulated medical waste, n.o.s., 6.2, PG II'],
            ['Containers', `2 boxes, 1 sharps (${CONTAINER}), 41 lb`],
            ['Emergency phone', `${company.emergencyPhone}, 24 hours`],
          ]}
          signatures={['Generator', 'Driver']}
        />
        <Paper
          title="Certificate of destruction"
          number={ids.certificate}
          caption="In your portal after treatment. Match it with your copy of the shipping paper."
          rows={[
            ['For', `${ids.generator}, ${ids.shippingPaper}`],
            ['Method', 'Steam, 135 °C for 45 minutes; spore test passed'],
            ['Facility', `Licensed treatment facility, permit ${ids.treatmentPermit}`],
            ['Containers', `3 of 3 accounted for, ${CONTAINER} among them`],
            ['Treated on', 'Tuesday, 6:10 AM'],
          ]}
          signatures={['Operator']}
          seal
        />
      </div>
    </>
  )
}

interface PaperProps {
  title: string
  number: string
  caption: string
  rows: readonly (readonly [string, string])[]
  signatures: readonly string[]
  seal?: boolean
}

function Paper({ title, number, caption, rows, signatures, seal = false }: PaperProps) {
  return (
    <figure className="flex flex-col">
      <div className="relative flex-1 overflow-hidden border border-granite-300 bg-white p-5 shadow-soft sm:p-8">
        {samples.papers ? (
          <span aria-hidden="true" className="pointer-events-none absolute inset-0 grid -rotate-24 place-items-center font-display text-[4.5rem] font-extrabold tracking-widest text-granite-100 select-none sm:text-[6rem]">
            SAMPLE
          </span>
        ) : null}
        <div className="relative">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 border-b-2 border-ink pb-2">
            <h3 className="text-h4">{title}</h3>
            <p className="font-mono text-xs">No. {number}</p>
          </div>
          <dl className="text-sm">
            {rows.map(([name, value]) => (
              <div key={name} className="grid gap-x-4 border-b border-granite-200 py-2 sm:grid-cols-[9.5rem_minmax(0,1fr)]">
                <dt className="text-xs text-granite-600">{name}</dt>
                <dd className="font-mono text-xs">{value}</dd>
              </div>
            ))}
          </dl>
          <div className="mt-11 flex items-end gap-8">
            {signatures.map((who, index) => (
              <p key={who} className="flex-1 border-t border-ink pt-1 text-xs text-granite-600">
                <svg viewBox="0 0 120 30" aria-hidden="true" className="-mt-8 mb-1 h-8 w-28 text-harbor-700">
                  <path d={index === 0 ? 'M4 22c6-14 10-16 11-6s8 6 12-2 6 8 12 2 4-14 10-10 2 16 8 12 10-12 16-8 8 8 16 4 12-4 20-6' : 'M4 16c8-12 14-8 12 2s10 4 14-4 10 10 16 2 8-8 12 0 10 4 16-2 10 6 20 0 14-4 22-2'} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
                </svg>
                {who}
              </p>
            ))}
            {seal ? (
              <svg viewBox="0 0 64 64" aria-hidden="true" className="size-16 shrink-0">
                <circle cx="32" cy="32" r="29" fill="none" stroke="#dd9e17" strokeWidth="2" strokeDasharray="3 2" />
                <circle cx="32" cy="32" r="22" fill="#f4b93a" />
                <path d="m22 32 7 8 14-16" fill="none" stroke="#0a2a35" strokeWidth="4.5" />
              </svg>
            ) : null}
          </div>
        </div>
      </div>
      <figcaption className="mt-3 text-sm text-granite-600">{caption}</figcaption>
    </figure>
  )
}
