import { worcester } from '@/content/cities/worcester'
import drawing from '@/art/city-worcester.svg'
import { CityPage } from './city'

export default function WorcesterPage() {
  return <CityPage content={worcester} drawing={drawing} />
}
