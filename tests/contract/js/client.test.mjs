// The official JavaScript client drives every method of its table client against a live gateway. What is written is
// undone, so that every row stands alone. Run by tests/contract/test_client_js.py, which says where the gateway is.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'

const require = createRequire(new URL('../../../supabase-compat/package.json', import.meta.url))
const { createClient } = require('@supabase/supabase-js')
const postgrest = createRequire(require.resolve('@supabase/supabase-js'))('@supabase/postgrest-js')

const { HARBOUR_URL, HARBOUR_ANON, HARBOUR_MEMBER } = process.env
const options = {
  db: { schema: 'harbor' },
  realtime: { transport: class {} }, // asked for at once on older Nodes, used by nobody here
}
const db = createClient(HARBOUR_URL, HARBOUR_ANON, { ...options, auth: { persistSession: false } })
const ids = (...numbers) => numbers.map((id) => ({ id }))
const note = { id: 50, body: 'new' }

/** Rows of title, query, and what its answer must hold. */
function drive(name, rows) {
  describe(name, () => {
    for (const [title, query, expected] of rows) {
      test(title, async () => {
        const answer = await query()
        const found = Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]]))
        if ('code' in expected) found.code = answer.error?.code
        assert.deepEqual(found, expected)
        if (!('code' in expected)) assert.equal(answer.error, null)
      })
    }
  })
}

const ships = () => db.from('ships').select('id').order('id')

drive('filters', [
  ['eq', () => ships().eq('kind', 'tug'), { data: ids(2) }],
  ['neq', () => ships().neq('kind', 'tug'), { data: ids(1, 3, 5) }],
  ['gt', () => ships().gt('built', 1999), { data: ids(2, 5) }],
  ['gte', () => ships().gte('built', 1999), { data: ids(1, 2, 5) }],
  ['lt', () => ships().lt('built', 1999), { data: ids(3) }],
  ['lte', () => ships().lte('built', 1999), { data: ids(1, 3) }],
  ['like', () => ships().like('name', '%or%'), { data: ids(1, 2) }],
  ['likeAllOf', () => ships().likeAllOf('name', ['%o%', '%r%']), { data: ids(1, 2) }],
  ['likeAnyOf', () => ships().likeAnyOf('name', ['A%', 'C%']), { data: ids(1, 3) }],
  ['ilike', () => ships().ilike('name', 'a%'), { data: ids(1) }],
  ['ilikeAllOf', () => ships().ilikeAllOf('name', ['%O%', '%R%']), { data: ids(1, 2) }],
  ['ilikeAnyOf', () => ships().ilikeAnyOf('name', ['a%', 'c%']), { data: ids(1, 3) }],
  ['regexMatch', () => ships().regexMatch('name', '^[AB]'), { data: ids(1, 2) }],
  ['regexIMatch', () => ships().regexIMatch('name', '^[ab]'), { data: ids(1, 2) }],
  ['is null', () => ships().is('kind', null), { data: ids(4) }],
  ['is true', () => ships().is('active', true), { data: ids(1, 2, 5) }],
  ['isDistinct', () => ships().isDistinct('kind', 'tug'), { data: ids(1, 3, 4, 5) }],
  ['in', () => ships().in('id', [1, 3]), { data: ids(1, 3) }],
  ['in with a comma', () => db.from('pairs').select('a').in('b', ['a,b', 'paren(s)']).order('a'), { data: [{ a: 3 }, { a: 4 }] }],
  ['notIn', () => ships().notIn('id', [1, 3]), { data: ids(2, 4, 5) }],
  ['contains a list', () => ships().contains('tags', ['blue']), { data: ids(1, 3) }],
  ['contains a document', () => ships().contains('specs', { crew: 4 }), { data: ids(2) }],
  ['contains a range', () => ships().contains('berth', '[2,3)'), { data: ids(1) }],
  ['containedBy a list', () => ships().containedBy('tags', ['strong']), { data: ids(2, 5) }],
  ['containedBy a range', () => ships().containedBy('berth', '[0,6)'), { data: ids(1) }],
  ['rangeGt', () => ships().rangeGt('berth', '[5,7)'), { data: ids(4, 5) }],
  ['rangeGte', () => ships().rangeGte('berth', '[5,7)'), { data: ids(2, 4, 5) }],
  ['rangeLt', () => ships().rangeLt('berth', '[7,9)'), { data: ids(1, 2) }],
  ['rangeLte', () => ships().rangeLte('berth', '[5,7)'), { data: ids(1, 2) }],
  ['rangeAdjacent', () => ships().rangeAdjacent('berth', '[9,10)'), { data: ids(4, 5) }],
  ['overlaps a list', () => ships().overlaps('tags', ['strong', 'old']), { data: ids(2, 3) }],
  ['overlaps a range', () => ships().overlaps('berth', '[4,6)'), { data: ids(1, 2) }],
  ['match', () => ships().match({ kind: 'tug', active: true }), { data: ids(2) }],
  ['not', () => ships().not('kind', 'is', null), { data: ids(1, 2, 3, 5) }],
  ['or', () => ships().or('id.eq.1,built.lt.1990'), { data: ids(1, 3) }],
  ['filter', () => ships().filter('name', 'match', '^[AB]'), { data: ids(1, 2) }],
])

const notices = () => db.from('notices').select('id').order('id')

drive('text search', [
  ['plain operators', () => notices().textSearch('search', `'fog' & 'bank'`), { data: ids(1) }],
  ['plain', () => notices().textSearch('search', 'moving bank', { type: 'plain' }), { data: ids(1, 2) }],
  ['phrase', () => notices().textSearch('search', 'fog bank', { type: 'phrase' }), { data: ids(1) }],
  ['websearch', () => notices().textSearch('search', 'bank -fog', { type: 'websearch' }), { data: ids(2) }],
  ['with a configuration', () => notices().textSearch('search', 'fährt', { config: 'german' }), { data: ids(3) }],
])

drive('reads', [
  ['select all', () => db.from('passports').select().eq('ship_id', 1), { data: [{ ship_id: 1, number: 'P-100' }], status: 200, statusText: 'OK' }],
  ['whitespace in select', () => db.from('owners').select('id,\n  code').eq('id', 1), { data: [{ id: 1, code: 'NOR' }] }],
  ['embeds', () => db.from('ships').select('id, owners(name), crew:sailors(id)').eq('id', 2), { data: [{ id: 2, owners: { name: 'Nordline' }, crew: ids(4) }] }],
  ['a count', () => db.from('ships').select('id', { count: 'exact' }).order('id').limit(2), { data: ids(1, 2), count: 5, status: 206, statusText: 'Partial Content' }],
  ['a head', () => db.from('ships').select('*', { count: 'exact', head: true }), { data: null, count: 5, status: 200 }],
  ['order', () => db.from('ships').select('id').order('owner_id', { ascending: false, nullsFirst: false }).order('id'), { data: ids(3, 5, 1, 2, 4) }],
  ['order of an embed', () => db.from('ships').select('id, sailors(id)').eq('id', 1).order('id', { referencedTable: 'sailors', ascending: false }), { data: [{ id: 1, sailors: ids(3, 2, 1) }] }],
  ['limit of an embed', () => db.from('ships').select('id, sailors(id)').eq('id', 1).order('id', { referencedTable: 'sailors' }).limit(1, { referencedTable: 'sailors' }), { data: [{ id: 1, sailors: ids(1) }] }],
  ['range', () => ships().range(1, 2), { data: ids(2, 3) }],
  ['range of an embed', () => db.from('ships').select('id, sailors(id)').eq('id', 1).order('id', { referencedTable: 'sailors' }).range(1, 1, { referencedTable: 'sailors' }), { data: [{ id: 1, sailors: ids(2) }] }],
  ['or on an embed', () => db.from('ships').select('id, sailors(id)').eq('id', 1).or('rank.eq.mate,rank.eq.nobody', { referencedTable: 'sailors' }), { data: [{ id: 1, sailors: ids(2) }] }],
  ['single', () => ships().eq('id', 1).single(), { data: { id: 1 } }],
  ['single of many', () => ships().single(), { data: null, code: 'PGRST116', status: 406, statusText: 'Not Acceptable' }],
  ['maybeSingle, one', () => ships().eq('id', 1).maybeSingle(), { data: { id: 1 } }],
  ['maybeSingle, none', () => ships().eq('id', 0).maybeSingle(), { data: null, status: 200 }],
  ['maybeSingle, many', () => ships().maybeSingle(), { data: null, code: 'PGRST116' }],
  ['csv', () => db.from('owners').select('id, code').eq('id', 1).csv(), { data: 'id,code\n1,NOR' }],
  ['geojson', () => db.from('owners').select('id').eq('id', 1).geojson(), { data: { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: null, properties: { id: 1 } }] } }],
  ['stripNulls', () => db.from('owners').select().eq('id', 3).stripNulls(), { data: [{ id: 3, name: 'Idle Co' }] }],
  ['stripNulls of one', () => db.from('owners').select().eq('id', 3).single().stripNulls(), { data: { id: 3, name: 'Idle Co' } }],
  ['abortSignal', () => ships().eq('id', 1).abortSignal(new AbortController().signal), { data: ids(1) }],
  ['setHeader', () => db.rpc('setting', { name: 'request.headers' }).setHeader('x-odd', 'value').then(({ data, error }) => ({ error, data: JSON.parse(data)['x-odd'] })), { data: 'value' }],
  ['throwOnError', () => ships().eq('id', 1).throwOnError(), { data: ids(1) }],
  ['retry', () => ships().eq('id', 1).retry(false), { data: ids(1) }],
  ['returns', () => ships().eq('id', 1).returns(), { data: ids(1) }],
  ['overrideTypes', () => ships().eq('id', 1).overrideTypes(), { data: ids(1) }],
  ['schema', () => db.schema('annex').from('ports').select('code'), { data: [{ code: 'ALM' }] }],
  ['schema of a schema', () => db.schema('annex').schema('harbor').from('owners').select('id').eq('id', 1), { data: ids(1) }],
  ['rpc of a schema', () => db.schema('harbor').rpc('add', { a: 1, b: 2 }), { data: 3 }],
  ['a schema that is not exposed', () => db.schema('vault').from('ledgers').select(), { code: 'PGRST106', status: 406 }],
  ['a table that does not exist', () => db.from('nope').select(), { code: 'PGRST205', status: 404, statusText: 'Not Found' }],
])

drive('writes', [
  ['insert', () => db.from('notes').insert(note), { data: null, status: 201, statusText: 'Created' }],
  ['insert with select', () => db.from('notes').insert(note).select('id, author').single(), { data: { id: 50, author: 'nobody' }, status: 201 }],
  ['insert of rows that differ', () => db.from('notes').insert([note, { id: 51, body: 'b', stars: 2 }]).select('stars'), { data: [{ stars: null }, { stars: 2 }] }],
  ['insert of rows that differ, with defaults', () => db.from('notes').insert([note, { id: 51, body: 'b', stars: 2 }], { defaultToNull: false, count: 'exact' }).select('stars'), { data: [{ stars: 0 }, { stars: 2 }], count: 2 }],
  ['insert into odd columns', () => db.from('Odd Names').insert([{ Id: 9, 'a.b': 'x', Größe: 3 }]).select('Id'), { data: [{ Id: 9 }] }],
  ['insert of a duplicate', () => db.from('notes').insert({ id: 1, body: 'x' }), { data: null, code: '23505', status: 409, statusText: 'Conflict' }],
  ['upsert', () => db.from('stamps').upsert([{ code: 'a', label: 'A2' }, { code: 'c', label: 'C' }]).select('code, uses').order('code'), { data: [{ code: 'a', uses: 1 }, { code: 'c', uses: 0 }], status: 201 }],
  ['upsert that ignores', () => db.from('stamps').upsert({ code: 'a', label: 'A2' }, { ignoreDuplicates: true }).select(), { data: [] }],
  ['upsert on another key', () => db.from('stamps').upsert({ code: 'z', label: 'Alpha' }, { onConflict: 'label' }).select('code, uses'), { data: [{ code: 'z', uses: 1 }], status: 200 }],
  ['update', () => db.from('notes').update({ stars: 9 }).eq('id', 1), { data: null, status: 204, statusText: 'No Content' }],
  ['update with select', () => db.from('notes').update({ stars: 9 }).eq('id', 1).select('stars'), { data: [{ stars: 9 }], status: 200 }],
  ['update with a count', () => db.from('notes').update({ stars: 9 }, { count: 'exact' }).eq('author', 'ada'), { count: 2 }],
  ['delete', () => db.from('notes').delete().eq('id', 1), { data: null, status: 204 }],
  ['delete with select', () => db.from('notes').delete({ count: 'exact' }).eq('author', 'ada').select('id').order('id'), { data: ids(1, 3), count: 2 }],
  ['maxAffected, within', () => db.from('notes').update({ stars: 9 }).eq('id', 1).maxAffected(1).select('id'), { data: ids(1) }],
  ['maxAffected, beyond', () => db.from('notes').delete().eq('author', 'ada').maxAffected(1), { code: 'PGRST124', status: 400 }],
  ['rollback', () => db.from('notes').insert(note).select('id').rollback(), { data: ids(50), status: 201 }],
])

drive('functions', [
  ['rpc', () => db.rpc('add', { a: 1, b: 2 }), { data: 3, status: 200 }],
  ['rpc by GET', () => db.rpc('add', { a: 1 }, { get: true }), { data: 11 }],
  ['rpc by GET with a list', () => db.rpc('sum_array', { amounts: [1, 2, 3] }, { get: true }), { data: 6 }],
  ['rpc by HEAD with a count', () => db.rpc('find_ships', { term: 'o' }, { head: true, count: 'exact' }), { data: null, count: 4 }],
  ['rpc by HEAD with an object', () => db.rpc('keep_json', { doc: { a: 1 } }, { head: true }), { status: 200 }],
  ['rpc with filters', () => db.rpc('find_ships', { term: 'o' }).select('id').gt('built', 2000).order('id'), { data: ids(2, 5) }],
  ['rpc of one row', () => db.rpc('find_ships', { term: 'Comet' }).select('id').single(), { data: { id: 3 } }],
  ['rpc of nothing', () => db.rpc('nothing'), { data: null, status: 204 }],
  ['rpc that does not exist', () => db.rpc('nope'), { code: 'PGRST202', status: 404 }],
])

test('explain as text', async () => {
  const { data, error } = await ships().explain({ analyze: true, verbose: true, settings: true, buffers: true, wal: true })
  assert.equal(error, null)
  assert.match(data, /actual time=/)
})

test('explain as json', async () => {
  const { data, error } = await ships().explain({ format: 'json' })
  assert.equal(error, null)
  assert.ok(data[0].Plan['Total Cost'] > 0)
})

test('explain without options', async () => {
  const { data, error } = await ships().explain()
  assert.equal(error, null)
  assert.match(data, /cost=/)
})

test('throwOnError throws what the gateway said', async () => {
  await assert.rejects(async () => await db.from('nope').select().throwOnError(), { code: 'PGRST205' })
})

test('an aborted request is an error, and the next one works', async () => {
  const controller = new AbortController()
  controller.abort()
  const { error } = await ships().abortSignal(controller.signal)
  assert.match(error.message, /AbortError/)
  assert.deepEqual((await ships().eq('id', 1)).data, ids(1))
})

test("a user's token wins over the key", async () => {
  const member = createClient(HARBOUR_URL, HARBOUR_ANON, { ...options, accessToken: async () => HARBOUR_MEMBER })
  assert.equal((await member.rpc('who')).data, 'contract_member')
  assert.equal((await db.rpc('who')).data, 'contract_anon')
})

test('every method of the table client is driven', () => {
  const source = readFileSync(new URL(import.meta.url), 'utf8')
  const inner = new Set(['constructor', 'cloneRequestState', 'processResponse'])
  const kinds = ['PostgrestClient', 'PostgrestQueryBuilder', 'PostgrestFilterBuilder', 'PostgrestTransformBuilder', 'PostgrestBuilder']
  const methods = kinds.flatMap((kind) => Object.getOwnPropertyNames(postgrest[kind].prototype))
  assert.deepEqual(methods.filter((name) => !inner.has(name) && !source.includes(`.${name}(`)), [])
})
