/** What governs medical waste in each state. Only the authority and its rules, as they are cited. */
import type { StateAbbr } from './locations'

export interface StateRules {
  abbr: StateAbbr
  name: string
  agency: string
  rules: string
}

export const stateRules: readonly StateRules[] = [
  { abbr: 'MA', name: 'Massachusetts', agency: 'Department of Public Health and MassDEP', rules: '105 CMR 480.000, medical or biological waste; 310 CMR 30.000, hazardous waste' },
  { abbr: 'CT', name: 'Connecticut', agency: 'Department of Energy and Environmental Protection', rules: 'RCSA § 22a-209-15, biomedical waste' },
  { abbr: 'RI', name: 'Rhode Island', agency: 'Department of Environmental Management and Department of Health', rules: 'RIDEM regulated medical waste rules in Title 250 of the Rhode Island Code of Regulations' },
  { abbr: 'NH', name: 'New Hampshire', agency: 'Department of Environmental Services', rules: 'Solid waste rules Env-Sw, infectious waste provisions' },
  { abbr: 'VT', name: 'Vermont', agency: 'Department of Environmental Conservation', rules: 'Vermont Solid Waste Management Rules, regulated medical waste' },
  { abbr: 'ME', name: 'Maine', agency: 'Department of Environmental Protection', rules: '06-096 CMR ch. 900, Biomedical Waste Management Rules' },
]
