import type { Feature } from '@/parts/lists'

/** The external training provider's sign-in page; the portal form posts there in a new tab. */
export const portalAction = 'https://portal.compliance-training.example/login?company_type=united_medical_waste'

export const portal = {
  seo: {
    title: 'Customer Portal',
    description: 'Sign in to the United Medical Waste customer portal for tracking records, certificates of destruction, compliance training and payments.',
  },
  title: 'Customer Portal',
  lead: 'Tracking records, destruction certificates, training and payments for your facility, in one place.',
  cards: [
    { icon: 'lock', title: 'Secure Document Access', text: 'Shipping papers, manifests and destruction records for every pickup, protected by your facility’s own login.' },
    { icon: 'award', title: 'Compliance Certificates', text: 'OSHA, HIPAA, DOT, RCRA and bloodborne pathogens certificates by employee, with the date each one lapses.' },
    { icon: 'clock', title: '24/7 Portal Access', text: 'Inspectors do not keep office hours. The portal is open whenever somebody asks for a record.' },
  ] satisfies Feature[],
  help: {
    title: 'Need help signing in?',
    items: [
      { question: 'Forgot your credentials?', answer: 'Contact support. We confirm who you are by phone and set a new password while you wait.' },
      { question: 'Signing in for the first time?', answer: 'Your user name and password are given to your facility’s contact when service is set up. Ask that person first, then us.' },
      { question: 'Technical issues?', answer: 'E-mail the support address with the time and what you saw on the screen. A picture helps.' },
    ],
  },
  hub: {
    title: 'Everything an inspector asks for, already filed',
    features: [
      { icon: 'quick', title: 'Instant access', text: 'Records appear as soon as they are complete. There is no request form and no waiting for the mail.' },
      { icon: 'archive', title: 'Secure storage', text: 'Documents are kept for as long as the rule behind them requires, and access is limited to the people you name.' },
      { icon: 'clipboard', title: 'Compliance documents hub', text: 'Tracking forms, training certificates, plans and audit findings, sorted by site and by year.' },
    ] satisfies Feature[],
  },
}
