import { act, fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { BrowserRouter, Link, MemoryRouter, NavLink, Navigate, Route, Routes, type To, generatePath, matchPath, useLocation, useNavigate, useParams, useSearchParams } from './router'

describe('a pattern', () => {
  test.each([
    ['/', '/', {}],
    ['/about', '/about', {}],
    ['/about', '/about/', {}],
    ['/about', '/About', null],
    ['/about', '/about/us', null],
    ['/insights/:slug', '/insights/a-b', { slug: 'a-b' }],
    ['/insights/:slug', '/insights/a%20%2F%20b', { slug: 'a / b' }],
    ['/insights/:slug', '/insights/100%', { slug: '100%' }],
    ['/insights/:slug', '/insights', null],
    ['/insights/:slug', '/insights/', null],
    ['/admin/:id/draft', '/admin/7/draft', { id: '7' }],
    ['/admin/*', '/admin/blog/7', {}],
    ['/admin/*', '/about', null],
    ['*', '/no/such/page', {}],
  ])('%s on %s', (pattern, path, params) => {
    expect(matchPath(pattern, path)).toEqual(params)
  })

  test('is filled in', () => {
    expect(generatePath('/insights/:slug', { slug: 'a / b' })).toBe('/insights/a%20%2F%20b')
  })
})

function Where() {
  const { pathname, search, hash } = useLocation()
  return <output>{pathname + search + hash}</output>
}
const where = () => screen.getByRole('status').textContent

test.each<[To, string]>([
  ['/quote', '/quote'],
  ['/quote?location=boston#form', '/quote?location=boston#form'],
  [{ search: 'page=2' }, '/insights?page=2'],
  [{ search: '?page=2' }, '/insights?page=2'],
  [{ search: '' }, '/insights'],
  [{ pathname: '/about', hash: 'team' }, '/about#team'],
])('a link to %j leads to %s', (to, target) => {
  render(
    <MemoryRouter initialEntries={['/insights?page=1']}>
      <Link to={to}>Go</Link>
      <Where />
    </MemoryRouter>,
  )
  expect(screen.getByRole('link')).toHaveAttribute('href', target)
  fireEvent.click(screen.getByRole('link'))
  expect(where()).toBe(target)
})

test.each([
  ['the middle button', { button: 1 }, {}],
  ['Ctrl', { ctrlKey: true }, {}],
  ['the command key', { metaKey: true }, {}],
  ['Shift', { shiftKey: true }, {}],
  ['another target', {}, { target: '_blank' }],
])('%s leaves a click to the browser', (_title, click, props) => {
  render(
    <MemoryRouter initialEntries={['/about']}>
      <Link to="/quote" {...props}>
        Go
      </Link>
      <Where />
    </MemoryRouter>,
  )
  const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...click })
  // jsdom would only say that it cannot load another page.
  window.addEventListener('click', (late) => late.preventDefault(), { once: true })
  const prevented = vi.spyOn(event, 'preventDefault')
  fireEvent(screen.getByRole('link'), event)
  expect(prevented).toHaveBeenCalledTimes(1)
  expect(where()).toBe('/about')
})

test('a handler of the link may keep it from leading anywhere', () => {
  render(
    <MemoryRouter initialEntries={['/about']}>
      <Link to="/quote" onClick={(event) => event.preventDefault()}>
        Go
      </Link>
      <Where />
    </MemoryRouter>,
  )
  fireEvent.click(screen.getByRole('link'))
  expect(where()).toBe('/about')
})

test('the navigation knows its page and its section', () => {
  render(
    <MemoryRouter initialEntries={['/services/medical-waste']}>
      <NavLink to="/" end>Home</NavLink>
      <NavLink to="/services">Services</NavLink>
      <NavLink to="/services" end>Overview</NavLink>
      <NavLink to="/service">Other</NavLink>
    </MemoryRouter>,
  )
  const current = screen.getAllByRole('link').filter((link) => link.getAttribute('aria-current') === 'page')
  expect(current.map((link) => link.textContent)).toEqual(['Services'])
})

test('the first route that matches is shown with what its names stand for', () => {
  const Article = () => <h1>{useParams().slug}</h1>
  render(
    <MemoryRouter initialEntries={['/insights/a%20b']}>
      <Routes>
        <Route path="/insights" element={<h1>List</h1>} />
        <Route path="/insights/:slug" element={<Article />} />
        <Route path="*" element={<h1>Lost</h1>} />
      </Routes>
    </MemoryRouter>,
  )
  expect(screen.getByRole('heading')).toHaveTextContent('a b')
})

test('a query is read and set, and a replaced one is no step of the history', () => {
  function Pager() {
    const [params, setParams] = useSearchParams()
    const navigate = useNavigate()
    return (
      <>
        <p>page {params.get('page')}</p>
        <button type="button" onClick={() => setParams('page=2')}>Next</button>
        <button type="button" onClick={() => setParams('page=3', { replace: true })}>Instead</button>
        <button type="button" onClick={() => navigate(-1)}>Back</button>
      </>
    )
  }
  render(
    <MemoryRouter initialEntries={['/insights?page=1']}>
      <Pager />
    </MemoryRouter>,
  )
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  press('Next')
  expect(screen.getByText('page 2')).toBeVisible()
  press('Instead')
  expect(screen.getByText('page 3')).toBeVisible()
  press('Back')
  expect(screen.getByText('page 1')).toBeVisible()
})

test("the browser's address and history are followed, and a link to the open page adds no step", async () => {
  window.history.pushState(null, '', '/start')
  render(
    <BrowserRouter>
      <Link to="/next">Next</Link>
      <Where />
    </BrowserRouter>,
  )
  const steps = window.history.length
  fireEvent.click(screen.getByRole('link'))
  fireEvent.click(screen.getByRole('link'))
  expect([window.location.pathname, where()]).toEqual(['/next', '/next'])
  expect(window.history.length).toBe(steps + 1)
  await act(async () => {
    const popped = new Promise((resolve) => window.addEventListener('popstate', resolve, { once: true }))
    window.history.back()
    await popped
  })
  expect(where()).toBe('/start')
})

test('what leads on does so once it is shown', () => {
  render(
    <MemoryRouter initialEntries={['/old']}>
      <Routes>
        <Route path="/old" element={<Navigate to="/new?from=old" replace />} />
        <Route path="*" element={<Where />} />
      </Routes>
    </MemoryRouter>,
  )
  expect(where()).toBe('/new?from=old')
})

test('a link outside a router says what is wrong', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(() => render(<Link to="/">Home</Link>)).toThrow('A link or an address was used outside a router')
})
