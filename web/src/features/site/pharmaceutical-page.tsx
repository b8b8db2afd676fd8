import drawing from '@/art/pharmacy.svg'
import { pharmaceutical } from '@/content/services/pharmaceutical'
import { ServicePage } from './service'

export default function PharmaceuticalPage() {
  return <ServicePage content={pharmaceutical} drawing={drawing} />
}
