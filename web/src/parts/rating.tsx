import { Icon } from '@/ui/icon'

export function Rating({ value }: { value: number }) {
  return (
    <p className="flex items-center gap-3 text-sm">
      <span aria-hidden="true" className="flex gap-0.5 text-gold-400">
        {[1, 2, 3, 4, 5].map((star) => (
          <Icon key={star} name="star" className="size-5 fill-current" />
        ))}
      </span>
      <span>
        <strong className="text-white">{value}</strong> out of 5 from customers
      </span>
    </p>
  )
}
