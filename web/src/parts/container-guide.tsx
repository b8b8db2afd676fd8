import { type ContainerKind, containerGuide } from '@/content/containers'
import { Fold } from './fold'
import { SampleMark } from './sample-mark'
import { SectionHeading } from './section'

/** The containers as they stand in a facility, by stream, with color, label and what goes into each. */
export function ContainerGuide() {
  const { title, lead, note, kinds } = containerGuide
  return (
    <>
      <SectionHeading title={title} lead={lead} />
      <ul className="hidden gap-6 sm:grid sm:grid-cols-2 lg:grid-cols-3">
        {kinds.map((kind) => (
          <li key={kind.stream} className="overflow-hidden rounded-lg border border-granite-200 bg-white">
            <div className="grid h-44 place-items-center bg-granite-50 p-3" style={{ boxShadow: `inset 0 -4px 0 ${kind.color}` }}>
              <Drawing kind={kind} />
            </div>
            <div className="p-6">
              <h3 className="text-h4">{kind.stream}</h3>
              <p className="text-sm text-granite-600">{kind.container}</p>
              <Contents kind={kind} />
            </div>
          </li>
        ))}
      </ul>
      <ul className="grid gap-1.5 sm:hidden">
        {kinds.map((kind) => (
          <li key={kind.stream}>
            <Fold group="containers" title={kind.stream} mark={<Drawing kind={kind} small />}>
              <p>{kind.container}</p>
              <Contents kind={kind} />
            </Fold>
          </li>
        ))}
      </ul>
      <p className="mt-5 text-sm text-granite-600">
        {note} <SampleMark of="containers" className="ml-2 text-granite-600 decoration-granite-400" />
      </p>
    </>
  )
}

function Contents({ kind }: { kind: ContainerKind }) {
  return (
    <dl className="mt-3 grid gap-1.5 text-sm text-ink">
      <div>
        <dt className="inline font-semibold text-success">In: </dt>
        <dd className="inline">{kind.yes}</dd>
      </div>
      <div>
        <dt className="inline font-semibold text-danger">Not in: </dt>
        <dd className="inline">{kind.no}</dd>
      </div>
    </dl>
  )
}

const bodies: Record<ContainerKind['shape'], { body: string; lid: string; labelY: number }> = {
  box: { body: 'M22 44h96v84H22z', lid: 'M22 44l18-20h60l18 20z', labelY: 86 },
  sharps: { body: 'M34 40h72l-6 92H40z', lid: 'M28 26h84v16H28zM56 16h28v12H56z', labelY: 88 },
  tub: { body: 'M24 48h92l-8 82H32z', lid: 'M18 34h104v16H18z', labelY: 92 },
  bin: { body: 'M32 46h76v84a6 6 0 0 1-6 6H38a6 6 0 0 1-6-6z', lid: 'M26 30h88v18H26zM54 20h32v12H54z', labelY: 92 },
}

function Drawing({ kind: { color, lid, label, shape, container }, small = false }: { kind: ContainerKind; small?: boolean }) {
  const drawn = bodies[shape]
  const words = label.split(' - ')
  return (
    <svg viewBox="0 0 140 148" role="img" aria-label={`${container}, labeled ${label}`} className={small ? 'h-12 w-auto shrink-0' : 'h-36 w-auto'}>
      <ellipse cx="70" cy="137" rx="56" ry="7" fill="#132a33" opacity="0.12" />
      <path d={drawn.body} fill={color} />
      <path d={drawn.body} fill="#000" opacity="0.08" transform="translate(70 0) scale(.5 1)" />
      <path d={drawn.lid} fill={lid} stroke={color} strokeWidth="2" strokeLinejoin="round" />
      <rect x="40" y={drawn.labelY - 24} width="60" height="44" rx="3" fill="#fff" />
      <g fill="none" stroke={color} strokeWidth="2.2" transform={`translate(70 ${drawn.labelY - 12})`}>
        <circle r="7" />
        <path d="M0-7v14M-6 3.5 6-3.5M-6-3.5 6 3.5" />
      </g>
      {words.map((word, index) => (
        <text key={word} x="70" y={drawn.labelY + (words.length > 1 ? 6 : 10) + index * 9} textAnchor="middle" fontSize={word.length > 10 ? 7 : 8.5} fontWeight="700" fill="#132a33" fontFamily="Arial, Helvetica, sans-serif">
          {word}
        </text>
      ))}
    </svg>
  )
}
