import { boston } from '@/content/cities/boston'
import drawing from '@/art/city-boston.svg'
import { CityPage } from './city'

export default function BostonPage() {
  return <CityPage content={boston} drawing={drawing} />
}
