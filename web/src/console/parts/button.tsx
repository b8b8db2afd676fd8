import { clsx } from 'clsx'
import { Check, Copy } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { toast } from '@/ui/toast-store'
import { Spinner } from '@/ui/spinner'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & { look?: Look; busy?: boolean; icon?: ReactNode }

export function Button({ look = 'plain', busy, icon, disabled, type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} disabled={disabled || busy} aria-busy={busy || undefined} className={clsx('button', look)}>
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
}

/** A button that is a picture alone; the name is for readers and on hovering. */
export function IconButton({ label, children, ...rest }: Omit<ComponentProps<'button'>, 'className' | 'aria-label' | 'title'> & { label: string }) {
  return (
    <button type="button" {...rest} aria-label={label} title={label} className="icon-button">
      {children}
    </button>
  )
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  return (
    <Button
      look="quiet"
      icon={done ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      onClick={() => {
        void copyText(text).then((ok) => {
          setDone(ok)
          setTimeout(() => setDone(false), 2000)
        })
      }}
    >
      {label}
    </Button>
  )
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    toast({ title: 'Copied' })
    return true
  } catch {
    toast({ title: 'The browser did not let the page copy', variant: 'destructive' })
    return false
  }
}
