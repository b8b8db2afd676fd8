import { renderToStaticMarkup } from 'react-dom/server'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { For, Show, Template } from '@/lib/control-flow'
import { PublishedDate } from '@/ui/published-date'
import { flagSlot, listSlot, nameOf, slot } from './slots'
import { toTemplate } from './syntax'
import { writer } from './writer'

const write = (children: ReactNode) => toTemplate(renderToStaticMarkup(<Template value={writer}>{children}</Template>))

test('values, conditions and lists become the notation that functions fill', () => {
  const page = (
    <Show when={slot('text', 'title')} otherwise={<i>none</i>}>
      {(title) => (
        <h1 title={title}>
          {title}
          <For each={listSlot('tags', slot('text', '.')).slice(0, 2)}>{(tag) => <b key={tag}>{tag}</b>}</For>
          <For each={listSlot('posts', { url: slot('url', 'art.drawing') })}>{({ url }) => <img key={url} src={url} alt="" loading="lazy" />}</For>
          <PublishedDate at={slot('text', 'published_at')} format="long" />
        </h1>
      )}
    </Show>
  )
  expect(write(page)).toBe(
    '{{if title}}<h1 title="{{text title}}">{{text title}}{{each tags 2}}<b>{{text .}}</b>{{end}}' +
      '{{each posts}}<img src="{{url art.drawing}}" alt="" loading="lazy"/>{{end}}' +
      '<time dateTime="{{text published_at}}">{{long-date published_at}}</time></h1>{{else}}<i>none</i>{{end}}',
  )
})

test('what a component encodes is encoded when it is filled', () => {
  const name = slot('text', 'name')
  expect(write(<a href={`/a/${encodeURIComponent(name)}?b=${encodeURIComponent(name)}`}>x</a>)).toBe('<a href="/a/{{segment name}}?b={{query name}}">x</a>')
  expect(write(<a href={`/${slot('address', 'next')}`}>x</a>)).toBe('<a href="{{address next}}">x</a>')
})

test.each<[string, ReactNode]>([
  ['markup in a tag', <p key="" title={slot('html', 'content')} />],
  ['JSON in text', <p key="">{slot('json', 'data')}</p>],
  ['text in a script', <script key="" type="application/json">{slot('text', 'data')}</script>],
  ['an address to be loaded as part of another', <img key="" alt="" src={`/x${slot('url', 'a')}`} />],
  ['an address to be loaded where it is followed', <a key="" href={slot('url', 'a')}>x</a>],
  ['a text that looks like a slot', <p key="">{'{{text title}}'}</p>],
  ['a slot that was changed', <p key="">{slot('text', 'a').toUpperCase()}</p>],
])('a template is refused that holds %s', (_title, page) => {
  expect(() => write(page)).toThrow(Error)
})

test('a template decides by slots alone', () => {
  expect(() => write(<Show when="always">{() => 'x'}</Show>)).toThrow('no slot')
  expect(() => write(<For each={['a']}>{(a) => a}</For>)).toThrow('no list slot')
  expect(nameOf(flagSlot('several'))).toBe('several')
})

test('without a template conditions and lists are what they are', () => {
  const page = (when: unknown, each: readonly string[]) =>
    renderToStaticMarkup(
      <>
        <Show when={when} otherwise="no">
          {() => 'yes'}
        </Show>
        <For each={each}>{(one) => <b key={one}>{one}</b>}</For>
      </>,
    )
  for (const nothing of [null, undefined, false, 0, '', []]) expect(page(nothing, [])).toBe('no')
  for (const something of [true, 1, 'a', ['a'], {}]) expect(page(something, ['a', 'b'])).toBe('yes<b>a</b><b>b</b>')
})
