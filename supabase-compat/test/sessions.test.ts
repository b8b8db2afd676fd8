/** Sessions in a page: events, renewal, several tabs, addresses. What both clients do is asserted of both. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBrowser } from './browser.js'
import { authError, type Client, clients, fakeJwt, fakeSession, json, type Recorded, recorder, type Server, USER } from './harness.js'

const KEY = 'sb-gateway-auth-token'
const realImmediate = setImmediate

type Tab = { client: Client; events: string[]; requests: Recorded[] }

let open: Client[] = []

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-04T05:06:07Z') })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

afterEach(async () => {
  for (const client of open) await client.auth.dispose()
  open = []
  vi.useRealTimers()
})

/** Lets everything run that waits for no time; modules fetched on demand take a few turns. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => realImmediate(resolve))
}

/** Lets `ms` pass, and all that follows from it happen. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await settle()
}

const renewals = (requests: Recorded[]) => requests.filter(({ url }) => url.includes('grant_type=refresh_token')).length

const standard: Server = ({ url }) => {
  if (url.endsWith('/user')) return json(USER)
  if (url.includes('/logout')) return new Response(null, { status: 204 })
  return json(fakeSession(3600, 'fresh'))
}

function storeSession(browser: ReturnType<typeof fakeBrowser>, lifetime: number, name = 'stored'): void {
  browser.storage.items[KEY] = JSON.stringify(fakeSession(lifetime, name))
}

describe.each(Object.keys(clients) as (keyof typeof clients)[])('a session in a page, with the client %s', (which) => {
  function openTab(server: Server = standard, auth: Record<string, unknown> = {}): Tab {
    const { fetch, requests } = recorder(server)
    const client = clients[which]('https://gateway.test', 'key', { auth, global: { fetch } })
    const events: string[] = []
    client.auth.onAuthStateChange((event, session) => void events.push(`${event} ${session?.refresh_token ?? '-'}`))
    open.push(client)
    return { client, events, requests }
  }

  test('a visitor without a session is told so once', async () => {
    fakeBrowser()
    const { events, requests } = openTab()
    await settle()
    expect(events).toEqual(['INITIAL_SESSION -'])
    expect(requests).toEqual([])
  })

  test('a stored session signs in before it is the initial one', async () => {
    storeSession(fakeBrowser(), 3600)
    const { events } = openTab()
    await settle()
    expect(events).toEqual(['SIGNED_IN refresh-stored', 'INITIAL_SESSION refresh-stored'])
  })

  test('a stored session that is about to end is renewed first', async () => {
    storeSession(fakeBrowser(), 60)
    const { events } = openTab()
    await settle()
    expect(events).toEqual(['TOKEN_REFRESHED refresh-fresh', 'INITIAL_SESSION refresh-fresh'])
  })

  test('sign-in, a change of the user and sign-out are told in turn', async () => {
    fakeBrowser()
    const { client, events } = openTab()
    await settle()
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    await client.auth.updateUser({ data: { a: 1 } })
    await client.auth.signOut()
    expect(events).toEqual(['INITIAL_SESSION -', 'SIGNED_IN refresh-fresh', 'USER_UPDATED refresh-fresh', 'SIGNED_OUT -'])
  })

  test('an unsubscribed callback is not called', async () => {
    fakeBrowser()
    const { client } = openTab()
    const late = vi.fn<() => void>()
    client.auth.onAuthStateChange(late).data.subscription.unsubscribe()
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    await settle()
    expect(late).not.toHaveBeenCalled()
  })

  test('a callback that fails does not keep the others from being called', async () => {
    fakeBrowser()
    const { client, events } = openTab()
    await settle()
    client.auth.onAuthStateChange((event) => {
      if (event === 'SIGNED_IN') throw new Error('mine')
    })
    const last = vi.fn<() => void>()
    client.auth.onAuthStateChange((event) => {
      if (event === 'SIGNED_IN') last()
    })
    await settle()
    await expect(client.auth.signInWithPassword({ email: 'a', password: 'b' })).rejects.toThrow('mine')
    expect(events).toContain('SIGNED_IN refresh-fresh')
    expect(last).toHaveBeenCalledOnce()
  })

  test('the store holds the whole answer under the key of the host', async () => {
    const browser = fakeBrowser()
    const { client } = openTab()
    const { data } = await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    expect(Object.keys(browser.storage.items)).toEqual([KEY])
    expect(JSON.parse(browser.storage.items[KEY]!)).toEqual(data.session)
  })

  test('a page that may not store keeps the session to itself', async () => {
    const browser = fakeBrowser()
    const { client } = openTab(standard, { persistSession: false })
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    expect((await client.auth.getSession()).data.session?.refresh_token).toBe('refresh-fresh')
    expect([browser.storage.items, browser.messages]).toEqual([{}, []])
  })

  test('the ticker renews three ticks before the end, in a page that is seen', async () => {
    storeSession(fakeBrowser(), 600)
    const { events, requests } = openTab()
    await pass(500_000)
    expect(renewals(requests)).toBe(0)
    await pass(15_000)
    expect(renewals(requests)).toBe(1)
    expect(events.at(-1)).toBe('TOKEN_REFRESHED refresh-fresh')
  })

  test('a hidden page leaves the session alone, and looks at it when seen again', async () => {
    const browser = fakeBrowser()
    storeSession(browser, 600)
    const { events, requests } = openTab()
    await pass(1000)
    browser.show(false)
    await pass(700_000)
    expect(renewals(requests)).toBe(0)
    browser.show(true)
    await pass(10)
    expect(renewals(requests)).toBe(1)
    expect(events.slice(2)).toEqual(['TOKEN_REFRESHED refresh-fresh'])
  })

  test('a page seen again tells of the session it still has', async () => {
    const browser = fakeBrowser()
    storeSession(browser, 3600)
    const { events } = openTab()
    await settle()
    browser.show(false)
    browser.show(true)
    await settle()
    expect(events.slice(2)).toEqual(['SIGNED_IN refresh-stored'])
  })

  test('no timer is left once automatic renewal is stopped', async () => {
    storeSession(fakeBrowser(), 600)
    const { client, requests } = openTab()
    await pass(1000)
    await client.auth.stopAutoRefresh()
    await pass(900_000)
    expect([renewals(requests), vi.getTimerCount()]).toEqual([0, 0])
    await client.auth.startAutoRefresh()
    await pass(10)
    expect(renewals(requests)).toBe(1)
  })

  test('many callers share one renewal', async () => {
    const browser = fakeBrowser()
    const { client, requests } = openTab()
    await settle()
    storeSession(browser, 30)
    const sessions = await Promise.all([1, 2, 3, 4].map(() => client.auth.getSession()))
    expect(sessions.map(({ data }) => data.session?.refresh_token)).toEqual(Array(4).fill('refresh-fresh'))
    expect(renewals(requests)).toBe(1)
  })

  test('a renewal is tried again ever more slowly while the server is down', async () => {
    const browser = fakeBrowser()
    const { client, requests } = openTab(() => new Response('', { status: 503 }), { autoRefreshToken: false })
    await settle()
    storeSession(browser, -10)
    const started = Date.now()
    const waiting = client.auth.getSession()
    await pass(31_000)
    const { data, error } = await waiting
    expect(requests.map(({ at }) => at - started)).toEqual([0, 200, 600, 1400, 3000, 6200, 12_600, 25_400])
    expect([data.session, error?.name]).toEqual([null, 'AuthRetryableFetchError'])
    expect(Object.keys(browser.storage.items)).toEqual([KEY])
  })

  test('a refused token is not tried again for a minute', async () => {
    const browser = fakeBrowser()
    const { client, requests } = openTab(() => authError(400, 'refresh_token_not_found', 'Invalid Refresh Token'), { autoRefreshToken: false })
    await settle()
    storeSession(browser, 80)
    await client.auth.getSession()
    await client.auth.getSession()
    await pass(59_000)
    await client.auth.getSession()
    expect(renewals(requests)).toBe(1)
    await pass(1_001)
    await client.auth.getSession()
    expect(renewals(requests)).toBe(2)
  })

  test('signing out while a renewal is under way is not undone by it', async () => {
    const browser = fakeBrowser()
    let answer: (response: Response) => void = () => {}
    const { client, events } = openTab(({ url }) => (url.includes('refresh_token') ? new Promise((resolve) => (answer = resolve)) : new Response(null, { status: 204 })), {
      autoRefreshToken: false,
    })
    await settle()
    storeSession(browser, 3600)
    const renewing = client.auth.refreshSession()
    await settle()
    await client.auth.signOut()
    answer(json(fakeSession()))
    expect((await renewing).error?.name).toBe('AuthRefreshDiscardedError')
    expect([browser.storage.items, events.at(-1)]).toEqual([{}, 'SIGNED_OUT -'])
  })

  test('news goes to other tabs once, on the channel named by the key', async () => {
    const browser = fakeBrowser()
    const [here, there] = [openTab(), openTab()]
    await settle()
    await here.client.auth.signInWithPassword({ email: 'a', password: 'b' })
    await here.client.auth.signOut()
    await settle()
    expect(there.events).toEqual(['INITIAL_SESSION -', 'SIGNED_IN refresh-fresh', 'SIGNED_OUT -'])
    expect(browser.messages.map(({ channel, data }) => [channel, data.event, data.session?.refresh_token])).toEqual([
      [KEY, 'SIGNED_IN', 'refresh-fresh'],
      [KEY, 'SIGNED_OUT', undefined],
    ])
    expect(Object.keys(browser.messages[0]!.data)).toEqual(['event', 'session'])
  })

  test('the success of another tab ends the wait after a refusal', async () => {
    const browser = fakeBrowser()
    const { client, requests } = openTab(() => authError(400, 'refresh_token_not_found', 'Invalid Refresh Token'), { autoRefreshToken: false })
    await settle()
    storeSession(browser, 80)
    await client.auth.getSession()
    new BroadcastChannel(KEY).postMessage({ event: 'TOKEN_REFRESHED', session: null })
    await client.auth.getSession()
    expect(renewals(requests)).toBe(2)
  })

  test('a closed client hears and does nothing', async () => {
    const browser = fakeBrowser()
    storeSession(browser, 600)
    const { client, events } = openTab()
    await settle()
    await client.auth.dispose()
    browser.show(true)
    await pass(900_000)
    expect([events.length, browser.channels.size, vi.getTimerCount()]).toEqual([2, 0, 0])
  })
})

describe.each(Object.keys(clients) as (keyof typeof clients)[])('a session in an address, with the client %s', (which) => {
  async function arrive(href: string, { server = standard, auth = {}, items = {} }: { server?: Server; auth?: object; items?: Record<string, string> } = {}) {
    const browser = fakeBrowser(href)
    Object.assign(browser.storage.items, items)
    const { fetch, requests } = recorder(server)
    const client = clients[which]('https://gateway.test', 'key', { auth: { ...auth }, global: { fetch } })
    open.push(client)
    const events: string[] = []
    client.auth.onAuthStateChange((event) => void events.push(event))
    await pass(10)
    return { browser, client, events, requests, result: await client.auth.initialize() }
  }

  const fragment = (session = fakeSession()) =>
    new URLSearchParams({
      access_token: session.access_token,
      refresh_token: session.refresh_token,
      expires_in: '3600',
      expires_at: `${session.expires_at}`,
      token_type: 'bearer',
      type: 'magiclink',
    }).toString()

  test('is taken from the fragment, which is emptied', async () => {
    const { browser, client, events } = await arrive(`https://site.test/in?a=1#${fragment()}`)
    expect(events.toSorted()).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
    expect(browser.location.href).toBe('https://site.test/in?a=1')
    const { data } = await client.auth.getSession()
    expect(data.session).toMatchObject({ refresh_token: 'refresh-one', expires_in: 3600, token_type: 'bearer', user: USER })
  })

  test('of a recovery is told as one', async () => {
    const { events } = await arrive(`https://site.test/#${fragment().replace('magiclink', 'recovery')}`)
    expect(events).toContain('PASSWORD_RECOVERY')
    expect(events).not.toContain('SIGNED_IN')
  })

  test('is ignored where the page said so', async () => {
    const { browser, requests } = await arrive(`https://site.test/#${fragment()}`, { auth: { detectSessionInUrl: false } })
    expect(requests).toEqual([])
    expect(browser.location.hash).toContain('access_token')
  })

  test('is taken by the page\'s own rule', async () => {
    const rule = vi.fn<(url: URL) => boolean>((url) => url.pathname === '/in')
    const { events } = await arrive(`https://site.test/in#${fragment()}`, { auth: { detectSessionInUrl: rule } })
    expect(rule).toHaveBeenCalledOnce()
    expect(events).toContain('SIGNED_IN')
  })

  test('that failed leaves the session there was', async () => {
    const items = { [KEY]: JSON.stringify(fakeSession(3600, 'stored')) }
    const { client, result } = await arrive('https://site.test/#error=access_denied&error_code=otp_expired&error_description=Expired', { items })
    expect(result.error).toMatchObject({ name: 'AuthImplicitGrantRedirectError', message: 'Expired', details: { error: 'access_denied', code: 'otp_expired' } })
    expect((await client.auth.getSession()).data.session?.refresh_token).toBe('refresh-stored')
  })

  test('as a code is redeemed with the verifier, and the code removed', async () => {
    const items = { [`${KEY}-code-verifier`]: '"secret/recovery"' }
    const { browser, events, requests } = await arrive('https://site.test/in?code=c1&a=1', { auth: { flowType: 'pkce' }, items })
    expect(requests.map(({ url, body }) => [url, body])).toEqual([
      ['https://gateway.test/auth/v1/token?grant_type=pkce', '{"auth_code":"c1","code_verifier":"secret"}'],
    ])
    expect(browser.location.href).toBe('https://site.test/in?a=1')
    expect(events).toContain('PASSWORD_RECOVERY')
    expect(Object.keys(browser.storage.items)).toEqual([KEY])
  })

  test('a code of something else is left alone', async () => {
    const { browser, requests } = await arrive('https://site.test/shop?code=SPRING', { auth: { flowType: 'pkce' } })
    expect([requests, browser.location.href]).toEqual([[], 'https://site.test/shop?code=SPRING'])
  })

  test('of the wrong flow is refused', async () => {
    const { result } = await arrive(`https://site.test/#${fragment()}`, { auth: { flowType: 'pkce' } })
    expect(result.error?.name).toBe('AuthPKCEGrantCodeExchangeError')
  })
})

describe('what this client does better', () => {
  function openTab(server: Server = standard, auth: Record<string, unknown> = { autoRefreshToken: false }): Tab {
    const { fetch, requests } = recorder(server)
    const client = clients.ours('https://gateway.test', 'key', { auth, global: { fetch } })
    open.push(client)
    return { client, events: [], requests }
  }

  test('a tab overtaken by another uses the session of that other', async () => {
    const browser = fakeBrowser()
    const { client } = openTab(() => {
      storeSession(browser, 3600, 'of-the-other-tab')
      return json(fakeSession(3600, 'mine'))
    })
    await settle()
    storeSession(browser, 30)
    const { data, error } = await client.auth.getSession()
    expect([data.session?.refresh_token, error]).toEqual(['refresh-of-the-other-tab', null])
  })

  test('a callback may ask for the session while the page loads', async () => {
    storeSession(fakeBrowser(), 3600)
    const { client } = openTab()
    const seen: unknown[] = []
    client.auth.onAuthStateChange(async (event) => {
      seen.push(event, (await client.auth.getSession()).data.session?.refresh_token)
    })
    await settle()
    expect(seen).toEqual(['SIGNED_IN', 'refresh-stored', 'INITIAL_SESSION', 'refresh-stored'])
  })

  test('a callback may renew when told of a renewal', async () => {
    storeSession(fakeBrowser(), 30)
    const { client } = openTab(standard, {})
    const seen: unknown[] = []
    client.auth.onAuthStateChange(async (event) => {
      if (event === 'TOKEN_REFRESHED' && seen.push(event) === 1) seen.push((await client.auth.refreshSession()).error)
    })
    await pass(10)
    expect(seen).toEqual(['TOKEN_REFRESHED', 'TOKEN_REFRESHED', null])
  })

  /** What a server whose clock differs by `ahead` seconds sends. */
  const serverTime = (ahead: number): Server => () => {
    const now = Math.floor(Date.now() / 1000) + ahead
    return json({ ...fakeSession(), access_token: fakeJwt({ sub: USER.id, exp: now + 3600, iat: now }), expires_at: now + 3600 })
  }

  test('a clock that is an hour ahead does not renew without end', async () => {
    fakeBrowser()
    const { client, requests } = openTab(serverTime(-3600), {})
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    for (let call = 0; call < 5; call++) await client.auth.getSession()
    await pass(600_000)
    expect(renewals(requests)).toBe(0)
    await pass(3_000_000)
    expect(renewals(requests)).toBe(1)
  })

  test('a clock that is an hour behind renews in time', async () => {
    fakeBrowser()
    const { client, requests } = openTab(serverTime(3600), {})
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    await pass(3_550_000)
    expect(renewals(requests)).toBe(1)
  })

  test('a store that may not be written is done without', async () => {
    fakeBrowser()
    vi.stubGlobal('localStorage', {
      setItem: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
    const { client } = openTab()
    await client.auth.signInWithPassword({ email: 'a', password: 'b' })
    expect((await client.auth.getSession()).data.session?.refresh_token).toBe('refresh-fresh')
  })

  test('its parts that come on demand are no promises', async () => {
    const { client } = openTab()
    expect(await client.auth.mfa).toBe(client.auth.mfa)
    expect(await client.auth.admin).toBe(client.auth.admin)
  })
})
