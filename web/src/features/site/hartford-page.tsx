import { hartford } from '@/content/cities/hartford'
import drawing from '@/art/city-hartford.svg'
import { CityPage } from './city'

export default function HartfordPage() {
  return <CityPage content={hartford} drawing={drawing} />
}
