interface SwitchProps {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

export function Switch({ label, checked, onChange, disabled }: SwitchProps) {
  return (
    <div className="flex items-center justify-between gap-4">
      <span aria-hidden="true" className="text-sm font-semibold">
        {label}
      </span>
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        aria-label={label}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        className="relative h-7 w-12 shrink-0 rounded-full bg-granite-500 transition-colors aria-checked:bg-harbor-700 disabled:opacity-60"
      >
        <span className={`absolute top-1 left-1 size-5 rounded-full bg-white shadow-soft transition-transform ${checked ? 'translate-x-5' : ''}`} />
      </button>
    </div>
  )
}
