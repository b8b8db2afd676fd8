import drawing from '@/art/training.svg'
import { complianceTraining } from '@/content/services/compliance-training'
import { ServicePage } from './service'

export default function ComplianceTrainingPage() {
  return <ServicePage content={complianceTraining} drawing={drawing} />
}
