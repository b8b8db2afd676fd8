import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answerConsent, loadTagManager, mustAskConsent, track, trackButton, trackPageView } from './analytics'

const container = () => document.querySelector<HTMLScriptElement>('#tag-manager')

beforeEach(() => {
  window.__ENV__ = { GTM_ID: 'GTM-TEST1' }
})

afterEach(() => {
  container()?.remove()
  delete window.__ENV__
  Reflect.deleteProperty(navigator, 'globalPrivacyControl')
})

describe('events', () => {
  test('carry their name and parameters', () => {
    track('contact', { form_type: 'contact_form', priority_level: 'urgent', subject: 'Full boxes' })
    expect(window.dataLayer).toEqual([{ event: 'contact', form_type: 'contact_form', priority_level: 'urgent', subject: 'Full boxes' }])
  })

  test('a page view tells path, title and address', () => {
    document.title = 'Services'
    trackPageView('/services')
    expect(window.dataLayer).toEqual([{ event: 'page_view', page_path: '/services', page_title: 'Services', page_location: window.location.href }])
  })

  test('a button is a call to action unless it says otherwise', () => {
    trackButton('Get Quote', 'navigation')
    expect(window.dataLayer?.at(-1)).toMatchObject({ event: 'umw_button_click', button_name: 'Get Quote', button_location: 'navigation', button_type: 'cta' })
  })
})

describe('consent', () => {
  test('nothing is loaded before the visitor has answered', () => {
    loadTagManager()
    expect(mustAskConsent()).toBe(true)
    expect(container()).toBeNull()
  })

  test('agreeing loads the container once', () => {
    answerConsent('granted')
    loadTagManager()
    expect(document.querySelectorAll('#tag-manager')).toHaveLength(1)
    expect(container()?.src).toBe('https://www.googletagmanager.com/gtm.js?id=GTM-TEST1')
    expect(mustAskConsent()).toBe(false)
  })

  test('declining forgets what was counted and counts nothing more', () => {
    trackButton('before', 'test')
    answerConsent('denied')
    trackButton('after', 'test')
    expect(window.dataLayer).toEqual([])
    expect(container()).toBeNull()
    expect(mustAskConsent()).toBe(false)
  })

  test('Global Privacy Control is an answer by itself', () => {
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true })
    trackButton('any', 'test')
    expect(mustAskConsent()).toBe(false)
    expect(window.dataLayer).toEqual([])
  })

  test('a site without a container neither asks nor loads', () => {
    window.__ENV__ = { GTM_ID: '' }
    answerConsent('granted')
    expect(mustAskConsent()).toBe(false)
    expect(container()).toBeNull()
  })
})
