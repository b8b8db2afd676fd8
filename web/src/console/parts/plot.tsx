import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface PlotProps {
  label: string
  names: readonly string[]
  /** Seconds, then one row of values for each name; null where nothing was measured. */
  data: uPlot.AlignedData
  unit: (value: number) => string
}

const HEIGHT = 168
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

function at(seconds: number): string {
  return clock.format(seconds * 1000)
}

/** Points that no line leads to or from; a few are all drawn. */
function alone(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? []
  const few = values.length <= 30
  return [...values.keys()].filter((place) => typeof values[place] === 'number' && (few || (typeof values[place - 1] !== 'number' && typeof values[place + 1] !== 'number')))
}

/** Rounded, neighbours may read the same: each is said once. */
function unlike(labels: string[]): string[] {
  return labels.map((label, index) => (label === labels[index - 1] ? '' : label))
}

/** The theme's colour at the moment of drawing. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function options(width: number, { names, unit }: PlotProps, onCursor: (index: number | null) => void): uPlot.Options {
  const axis = { stroke: () => colour('--muted'), grid: { stroke: () => colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, values: (_plot, times) => times.map(at), space: 64, size: 26 },
      { ...axis, values: (_plot, values) => unlike(values.map((value) => unit(value))), size: 60, space: 36 },
    ],
    series: [{}, ...names.map((name, index) => ({ label: name, stroke: () => colour(`--curve-${index}`), width: 2, points: { show: true, size: 5, filter: alone } }))],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
  }
}

/** Lines over time on a canvas: the pointer or the arrow keys read a moment, dragging looks closer, a double click at all. */
export function Plot(props: PlotProps) {
  const { label, names, data, unit } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [shown, setShown] = useState<number | null>(null)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const made = new uPlot(options(element.clientWidth, latest.current, setShown), latest.current.data, element)
    plot.current = made
    const sizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    sizes.observe(element)
    const themes = new MutationObserver(() => made.redraw(false))
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      sizes.disconnect()
      themes.disconnect()
      made.destroy()
    }
  }, [])
  useEffect(() => plot.current?.setData(data), [data])

  const times = data[0]
  const keys = (event: KeyboardEvent) => {
    const now = shown ?? times.length
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: times.length - 1 }[event.key]
    if (to === undefined || !plot.current) return
    event.preventDefault()
    const index = Math.max(0, Math.min(times.length - 1, to))
    plot.current.setCursor({ left: plot.current.valToPos(times[index] ?? 0, 'x'), top: 0 })
    setShown(index)
  }
  const moment = shown === null ? undefined : times[shown]
  return (
    <>
      {/* Read by the arrow keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */}
      <div ref={place} className="plot" role="img" aria-label={label} tabIndex={0} onKeyDown={keys} />
      <p className="plot-moment" aria-live="polite">
        {shown === null || moment === undefined
          ? ' '
          : `${at(moment)}  ${names
              .map((name, index) => {
                const value = data[index + 1]?.[shown]
                return `${name} ${value === null || value === undefined ? '–' : unit(value)}`
              })
              .join(', ')}`}
      </p>
    </>
  )
}
