import { capeCod } from '@/content/cities/cape-cod'
import drawing from '@/art/city-capecod.svg'
import { CityPage } from './city'

export default function CapeCodPage() {
  return <CityPage content={capeCod} drawing={drawing} />
}
