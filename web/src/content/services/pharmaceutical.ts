import { paths } from '@/lib/paths'
import type { ServiceContent } from './types'

export const pharmaceutical: ServiceContent = {
  name: 'Pharmaceutical Waste',
  path: paths.pharmaceutical,
  seo: {
    title: 'Pharmaceutical Waste Disposal',
    description: 'Hazardous and non-hazardous pharmaceutical waste disposal in New England, by RCRA and 40 CFR 266 Subpart P, with cradle-to-grave records.',
  },
  title: 'Expired, partial, wasted: every dose accounted for.',
  lead: 'We sort your formulary by waste stream, put the right container at the point of use, and document disposal under RCRA and your state’s rules.',
  notes: ['Hazardous and non-hazardous', 'Subpart P ready', 'Nothing down the drain'],
  streams: {
    title: 'Which dose goes where',
    lead: 'Staff should not need a regulation to throw away half a vial. We give them containers in four colors and a list by drug name.',
    features: [
      { icon: 'pill', title: 'Non-hazardous medications', text: 'Most of a formulary: tablets, vials, creams and IV bags with drug in them that are not hazardous waste under RCRA. Incinerated.' },
      { icon: 'flame', title: 'Hazardous waste pharmaceuticals', text: 'P-listed, U-listed and characteristic wastes such as warfarin, certain chemotherapy agents and some inhalers and alcohol-based preparations.' },
      { icon: 'flask', title: 'Bulk and trace chemotherapy', text: 'Separated at the hood: bulk residues as hazardous waste, trace items as trace chemotherapy for incineration.' },
      { icon: 'recycle', title: 'Returns with credit', text: 'Unexpired or recently expired stock that a reverse distributor may credit is not waste yet. We help you keep it apart.' },
      { icon: 'lock', title: 'Controlled substances', text: 'Pharmaceutical wastage is recorded under your DEA procedures; inventory goes to a registered reverse distributor under 21 CFR Part 1317. We plan both with you.' },
      { icon: 'sharps', title: 'Drug with a needle', text: 'Prefilled syringes and vials with sharps attached go to dual-purpose containers, so that nobody takes anything apart.' },
    ],
  },
  steps: {
    title: 'How a program starts',
    lead: 'About two weeks from the first visit to containers on the wall.',
    items: [
      { title: 'Review the formulary', text: 'Send us your drug list. It comes back marked by waste stream, with the reason beside each hazardous item.' },
      { title: 'Place containers', text: 'Medication rooms, procedure rooms and the pharmacy each get what they use, with signs at eye level.' },
      { title: 'Train the shift', text: 'Twenty minutes for nurses and pharmacists, with a certificate. New staff take the same module online.' },
      { title: 'Collect and document', text: 'Full containers are dated, sealed and manifested. The signed copy is in your portal when it returns.' },
    ],
  },
  rules: {
    title: 'The rules behind the container',
    lead: 'Pharmaceutical waste is where a small clinic most often meets hazardous waste law.',
    items: [
      { code: '40 CFR 266 Subpart P', name: 'EPA, healthcare pharmaceuticals', text: 'Sets how healthcare facilities label, store and ship hazardous waste pharmaceuticals. Containers are marked “Hazardous Waste Pharmaceuticals” and may be accumulated for up to one year.' },
      { code: '40 CFR 266.505', name: 'EPA, sewer prohibition', text: 'Hazardous waste pharmaceuticals may not be put down a drain or toilet. This has applied in every state since August 21, 2019.' },
      { code: '40 CFR Part 262', name: 'RCRA generators', text: 'Determines your generator category, your EPA identification number and how long manifests are kept: at least three years.' },
      { code: '21 CFR Part 1317', name: 'DEA disposal', text: 'Controlled substances in inventory must be rendered non-retrievable by an authorized route. Wastage after administration follows your own documented procedure.' },
      { code: '310 CMR 30.000', name: 'Massachusetts', text: 'The state’s hazardous waste regulations. Where your state’s rule is stricter than EPA’s, your plan follows the stricter one.' },
    ],
  },
  included: {
    title: 'What the program includes',
    lead: 'Priced by container and stop, with no charge for the review that starts it.',
    items: ['Formulary sorted by waste stream', 'Containers, brackets and signs', 'Manifests prepared for signature', 'Help with EPA ID and generator category', 'Staff training with certificates', 'Destruction records in your portal', 'Annual review of new drugs', 'Month-to-month service'],
  },
  questions: [
    { question: 'Can we flush leftover medication?', answer: 'No healthcare facility may put hazardous waste pharmaceuticals down a drain, and we advise against flushing any. The sewer prohibition in 40 CFR 266.505 applies in all six states whatever your generator category.' },
    { question: 'How do we know which drugs are hazardous waste?', answer: 'By the P and U lists and the characteristics of RCRA: ignitability, corrosivity, reactivity and toxicity. You send the formulary and we return it marked, item by item.' },
    { question: 'Are empty vials hazardous?', answer: 'Under Subpart P, a stock or dispensing bottle of up to one liter, or a unit-dose container, is considered empty once its contents have been removed by normal practice, and its residue is then not regulated as hazardous waste.' },
    { question: 'How long may containers stay on site?', answer: 'Up to one year for non-creditable hazardous waste pharmaceuticals under Subpart P, if you can show the date they started. We date containers at placement and collect well before.' },
    { question: 'Do you take controlled substances?', answer: 'We place containers for wastage that your procedure has made non-retrievable, and we arrange a DEA-registered reverse distributor for inventory. We do not take loose controlled stock on a waste truck.' },
  ],
  cta: { title: 'Have your formulary sorted', text: 'Ask for a pharmaceutical quote and we mark up your drug list as part of it.' },
}
