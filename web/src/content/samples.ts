/**
 * What on this site is invented, said in one place. A company puts its own facts where each line says, and `false` here:
 * the mark beside it goes.
 */
export const samples = {
  /** The thirteen institutions in content/home.ts. */
  clients: true,
  /** The testimonial and the review in content/home.ts. */
  testimonial: true,
  /** Towns by route day in content/routes.ts. */
  routes: true,
  /** Colors, labels and contents in content/containers.ts. */
  containers: true,
  /** The numbers and names below, on the drawn papers and in the walk of a container. */
  papers: true,
} satisfies Record<string, boolean> as Record<SampleName, boolean>

export type SampleName = 'clients' | 'testimonial' | 'routes' | 'containers' | 'papers'

/** On the shipping paper, the certificate of destruction and the vehicle. */
export const identifiers = {
  container: 'UMW-S-004217',
  usdot: '0000000',
  transporterPermit: 'MA-TR-000',
  treatmentPermit: '000-0000',
  shippingPaper: 'MTF 26-118-0042',
  certificate: 'COD 26-118-0042',
  generator: 'Elm Park Family Medicine',
  generatorCity: 'Worcester, MA',
}
