import type { ReactNode } from 'react'
import { IconTile, type IconName } from '@/ui/icon'

/** A card beside a form. */
export function SideCard({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <section className="rounded-lg border border-granite-200 bg-white p-6">
      <div className="mb-4 flex items-center gap-4">
        <IconTile name={icon} small />
        <h2 className="text-h4">{title}</h2>
      </div>
      {children}
    </section>
  )
}
