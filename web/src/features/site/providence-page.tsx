import { providence } from '@/content/cities/providence'
import drawing from '@/art/city-providence.svg'
import { CityPage } from './city'

export default function ProvidencePage() {
  return <CityPage content={providence} drawing={drawing} />
}
