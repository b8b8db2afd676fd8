import { clsx } from 'clsx'
import type { ReactNode } from 'react'

const tones = {
  neutral: 'bg-granite-100 text-granite-600',
  harbor: 'bg-harbor-50 text-harbor-700',
  success: 'bg-success-50 text-success',
  gold: 'bg-gold-100 text-gold-700',
}

export function Badge({ tone = 'neutral', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return <span className={clsx('inline-flex items-center rounded-full px-2.5 py-0.5 text-xs font-semibold', tones[tone])}>{children}</span>
}
