import type { Feature } from '@/parts/lists'

export const about = {
  seo: {
    title: 'About Us',
    description: 'United Medical Waste has served New England healthcare since 1995: waste collection, pharmaceutical disposal and training at fair prices.',
  },
  title: 'A regional company, on purpose.',
  lead: 'Since 1995 we have collected medical waste on the same roads our customers drive to work. We know the bridges, the ferries, the snow routes and the six rule books.',
  story: {
    title: 'How we got here',
    paragraphs: [
      'The company began in 1995 with one truck, a route through central Massachusetts, and a simple complaint from local practices: the national hauler’s invoice never matched the quote. We wrote prices down and kept to them.',
      'Practices told hospitals, and hospitals told laboratories. Pharmaceutical waste followed when pharmacies asked where expired stock should go; training followed when the same customers asked who could explain the rules to their staff.',
      'Today more than 5,000 facilities in six states use us, and the offer is still short: collect what is regulated, treat it properly, teach people what belongs in which container, and hand over the proof.',
    ],
  },
  mission: {
    title: 'Our mission',
    text: 'Keep the people who care for patients, the people who handle what is left behind, and the places we all live in safe from medical and pharmaceutical waste, at a price that is fair and in a way that can be proved.',
  },
  values: {
    title: 'Our values: what we hold ourselves to',
    lead: 'Four habits, none of them original, all of them checked every month.',
    features: [
      { icon: 'shield', title: 'Safety before schedule', text: 'A driver may refuse a leaking or unlabeled container, and the office will back that call while we help you repack it.' },
      { icon: 'scale', title: 'Say the price once', text: 'What we quote is what we invoice. A change is discussed before it is charged, not discovered after.' },
      { icon: 'certificate', title: 'Prove it', text: 'A pickup is finished when the destruction record is in your portal. Until then it is still our open task.' },
      { icon: 'leaf', title: 'Less is the goal', text: 'Our audits exist to shrink the regulated stream. A smaller box is better for you, for the air and for the coast we live on.' },
    ] satisfies Feature[],
  },
  milestones: {
    title: 'Thirty years in a few lines',
    items: [
      { year: '1995', text: 'First route: Worcester County, one truck, eleven practices.' },
      { year: '2001', text: 'Needlestick rules change; sharps management becomes a service of its own.' },
      { year: '2006', text: 'Routes reach all six New England states.' },
      { year: '2013', text: 'Online compliance training and the customer portal open.' },
      { year: '2019', text: 'EPA’s pharmaceutical rule takes effect; formulary reviews are offered to every customer.' },
      { year: 'Today', text: 'More than 5,000 facilities, from Nantucket to the Canadian border.' },
    ],
  },
  cta: { title: 'Meet us in your own hallway', text: 'The free waste audit is how most people get to know us: an hour, a clipboard, and a page of findings.' },
}
