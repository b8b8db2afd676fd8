/**
 * The one door to the tag manager. Events are typed by name and land in `window.dataLayer`; a container
 * is loaded only when the site has an id for one and the visitor has agreed. A visitor who declines,
 * or whose browser sends Global Privacy Control, is not measured at all.
 */
import { tagManagerId } from './env'

interface Lead {
  facility_type: string
  /** Service ids, joined with commas. */
  services: string
  pickup_frequency: string
  estimated_volume: string
}

export interface AnalyticsEvents {
  page_view: { page_path: string; page_title: string; page_location: string }
  umw_quote_started: { form_type: 'full_quote' | 'quick_quote'; timestamp: string }
  generate_lead: Lead & { form_type: 'quote_request'; currency: 'USD' }
  umw_quick_start_conversion: Lead & { form_type: 'quick_start'; currency: 'USD'; value: number }
  contact: { form_type: 'contact_form'; priority_level: string; subject: string }
  sign_up: { method: 'newsletter'; source: string }
  umw_button_click: { button_name: string; button_location: string; button_type: string }
  view_item: { item_id: string; item_name: string; item_category: string }
  select_content: { content_type: string; item_id: string; action: 'selected' | 'deselected' }
  umw_emergency_request: { priority: 'emergency'; timestamp: string }
  umw_navigation_click: { link_text: string; link_url: string; link_location: string }
  page_not_found: { page_path: string; page_referrer: string }
}

declare global {
  interface Window {
    dataLayer?: object[]
  }
  interface Navigator {
    globalPrivacyControl?: boolean
  }
}

export function track<Name extends keyof AnalyticsEvents>(event: Name, parameters: AnalyticsEvents[Name]): void {
  if (consent() === 'denied') return
  window.dataLayer ??= []
  window.dataLayer.push({ event, ...parameters })
}

export function trackPageView(path: string): void {
  track('page_view', { page_path: path, page_title: document.title, page_location: window.location.href })
}

export function trackButton(name: string, location: string, type = 'cta'): void {
  track('umw_button_click', { button_name: name, button_location: location, button_type: type })
}

/** Time of an event as an ISO 8601 text. */
export const timestamp = () => new Date().toISOString()

const CONSENT_KEY = 'umw:consent'
export type Consent = 'granted' | 'denied' | 'unknown'

export function consent(): Consent {
  if (navigator.globalPrivacyControl) return 'denied'
  try {
    const stored = localStorage.getItem(CONSENT_KEY)
    return stored === 'granted' || stored === 'denied' ? stored : 'unknown'
  } catch {
    // Storage can be switched off altogether; then nobody has agreed.
    return 'unknown'
  }
}

/** True when there is a container to load and the visitor has not answered yet. */
export const mustAskConsent = () => tagManagerId() !== '' && consent() === 'unknown'

export function answerConsent(answer: 'granted' | 'denied'): void {
  try {
    localStorage.setItem(CONSENT_KEY, answer)
  } catch {
    // The answer then holds for this page only.
  }
  if (answer === 'granted') loadTagManager()
  else window.dataLayer = []
}

/** Adds the container once; does nothing without an id or without consent. */
export function loadTagManager(): void {
  const id = tagManagerId()
  if (id === '' || consent() !== 'granted' || document.getElementById('tag-manager')) return
  window.dataLayer ??= []
  window.dataLayer.push({ 'gtm.start': Date.now(), event: 'gtm.js' })
  const script = document.createElement('script')
  script.id = 'tag-manager'
  script.async = true
  script.src = `https://www.googletagmanager.com/gtm.js?id=${id}`
  document.head.append(script)
}
