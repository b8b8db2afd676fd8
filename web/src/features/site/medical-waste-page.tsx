import drawing from '@/art/containers.svg'
import { medicalWaste } from '@/content/services/medical-waste'
import { ServicePage } from './service'

export default function MedicalWastePage() {
  return <ServicePage content={medicalWaste} drawing={drawing} />
}
