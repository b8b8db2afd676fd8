import { paths } from '@/lib/paths'
import type { ServiceContent } from './types'

export const medicalWaste: ServiceContent = {
  name: 'Medical Waste',
  path: paths.medicalWaste,
  seo: {
    title: 'Medical Waste Collection & Disposal',
    description: 'Regulated medical waste pickup, DOT-compliant transport and treatment in New England. Containers supplied and a record for every container.',
  },
  title: 'Regulated medical waste, off your floor and on the record.',
  lead: 'Red bags, sharps and pathological waste collected on your schedule, carried by trained drivers, treated at licensed facilities, and documented from seal to destruction.',
  notes: ['Containers supplied', 'Weekly to annual pickups', 'Digital tracking'],
  streams: {
    title: 'What we collect',
    lead: 'Segregation is most of the cost. Each stream has its own container, and each container has a label your staff can read from the door.',
    features: [
      { icon: 'waste', title: 'Red-bag waste', text: 'Items saturated or caked with blood or other potentially infectious material, cultures and stocks, and contaminated disposables.' },
      { icon: 'sharps', title: 'Sharps', text: 'Needles, scalpels, lancets, broken vials and pipettes in closable, puncture-resistant containers, used or unused.' },
      { icon: 'microscope', title: 'Pathological waste', text: 'Tissue, organs and body parts from surgery, biopsy or necropsy, kept apart because they are incinerated rather than autoclaved.' },
      { icon: 'flask', title: 'Trace chemotherapy', text: 'Empty vials, tubing, gloves and gowns from chemotherapy. Bulk chemotherapy is hazardous waste and travels separately.' },
      { icon: 'paw', title: 'Veterinary waste', text: 'Sharps, vaccines and animal tissue from veterinary practices and research colonies.' },
      { icon: 'siren', title: 'Spill and cleanup waste', text: 'Material from a blood or body-fluid cleanup, packaged by our crew or by yours with our kit.' },
    ],
  },
  steps: {
    title: 'From your storage room to a certificate',
    lead: 'Four hand-offs, each with a signature or a scan. That is what cradle-to-grave tracking means in practice.',
    items: [
      { title: 'Pack and close', text: 'Your staff fill lined boxes or reusable tubs to the line, tie the liner and close the lid. We supply both, with labels.' },
      { title: 'Scan and load', text: 'The driver weighs or counts each container, scans its code and leaves you a signed shipping paper.' },
      { title: 'Treat', text: 'Red-bag and sharps waste is steam-sterilized by autoclave. Pathological and trace chemotherapy waste is incinerated.' },
      { title: 'Certify', text: 'The destruction record is matched to the pickup and filed in your portal, ready for the next inspection.' },
    ],
  },
  rules: {
    title: 'The rules behind the box',
    lead: 'What an inspector will ask about, and what we do for it.',
    items: [
      { code: '29 CFR 1910.1030', name: 'OSHA Bloodborne Pathogens', text: 'Sharps containers must be closable, puncture-resistant, leakproof on sides and bottom, and labeled or red. We supply and exchange containers that are.' },
      { code: '49 CFR 173.197', name: 'DOT packaging', text: 'Regulated medical waste, UN3291, must travel in rigid, leak-resistant, closed packaging that meets the standard for its type. Our boxes and tubs do.' },
      { code: '49 CFR 172.704', name: 'DOT training', text: 'Whoever packs or signs for the shipment is a hazmat employee and needs training at least every three years. We can train your signers.' },
      { code: '105 CMR 480.000', name: 'Massachusetts', text: 'Storage, labeling and record-keeping for medical or biological waste. The equivalents in your state are part of your service plan.' },
      { code: '06-096 CMR ch. 900', name: 'Maine', text: 'Biomedical waste rules on packaging, storage, manifests and registration of generators.' },
    ],
  },
  included: {
    title: 'What every pickup includes',
    lead: 'One price per stop or per container. Everything on this list is in it.',
    items: ['Boxes, liners, tape and labels', 'Reusable sharps containers on request', 'Signed shipping paper at pickup', 'Destruction record in your portal', 'Waste audit in the first year', 'Schedule changes at no charge', 'A named contact', 'Month-to-month service'],
  },
  questions: [
    { question: 'How often do we need a pickup?', answer: 'As often as your volume and your state’s storage limit require. Small practices are often fine with monthly or quarterly stops; surgical centers and hospitals run weekly. We set the interval at the audit and change it whenever you ask.' },
    { question: 'What must not go into a red bag?', answer: 'Hazardous chemicals, bulk chemotherapy, pharmaceuticals, mercury (including dental amalgam), radioactive material and ordinary trash. Each has its own stream; ordinary trash is simply expensive there.' },
    { question: 'Who is responsible once the truck leaves?', answer: 'The generator stays responsible for how waste was packaged and described. That is why the shipping paper and the destruction record are matched for you and kept where you can find them.' },
    { question: 'Do you supply containers?', answer: 'Yes. Lined corrugated boxes, reusable tubs and sharps containers from 1 quart to 18 gallons are part of the service, and the driver restocks what you used.' },
    { question: 'Is there a contract?', answer: 'A short service agreement, month to month. There is no automatic renewal and no early-termination fee.' },
  ],
  cta: { title: 'Know what a pickup would cost', text: 'Tell us your containers and your schedule. You have a written price within 24 hours.' },
}
