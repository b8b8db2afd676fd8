/** `value` is percent done, 0 to 100. */
export function Progress({ value, label }: { value: number; label: string }) {
  const percent = Math.round(value)
  return (
    <div>
      <div className="mb-1.5 flex justify-between text-sm">
        <span>{label}</span>
        <span className="tabular-nums">{percent}%</span>
      </div>
      <div role="progressbar" aria-label={label} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} className="h-2.5 overflow-hidden rounded-full bg-granite-100">
        <div className="h-full rounded-full bg-harbor-700 transition-[width]" style={{ width: `${percent}%` }} />
      </div>
    </div>
  )
}
