import { type CompletionContext, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql'
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { type ChangeSet, Compartment, EditorState, Prec } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { useLatest } from '@/ui/use-latest'
import type { Catalog } from '../lib/catalog'

/** Names that the editor completes: schemas, their tables, their columns. */
export function namespace(catalog: Catalog | undefined): SQLNamespace {
  const schemas: Record<string, Record<string, string[]>> = {}
  for (const table of catalog?.tables ?? []) (schemas[table.schema] ??= {})[table.name] = table.columns.map((column) => column.name)
  return schemas
}

/** Functions by name, with what they take: those of the search path as they are, others with their schema. */
function routines(catalog: Catalog | undefined) {
  const options = (catalog?.functions ?? [])
    .filter((routine) => routine.returns !== 'trigger')
    .map((routine) => ({ label: routine.schema === 'public' || routine.schema === 'extensions' ? routine.name : `${routine.schema}.${routine.name}`, type: 'function', detail: `(${routine.identity ?? ''})` }))
  return (context: CompletionContext) => {
    const word = context.matchBefore(/[\w.]+/)
    return word ? { from: word.from, options, validFor: /^[\w.]*$/ } : null
  }
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--warn)' },
])

const look = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: '0.875rem', minHeight: '9rem', maxHeight: '40vh' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-soft) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)', borderRadius: '6px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
})

/** One letter, or the dot behind a name. */
function typed(changes: ChangeSet): boolean {
  let text = ''
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
    text += inserted.toString()
  })
  return /^[\w.]$/.test(text)
}

interface EditorProps {
  label: string
  value: string
  onChange: (text: string) => void
  /** With where it begins in the whole, counted from 0. */
  onRun: (text: string, from: number) => void
  onSelect: (text: string, from: number) => void
  catalog: Catalog | undefined
  /** Where the server found a fault, counted from 1. */
  fault?: number
}

/**
 * The editor stands behind a shadow root: there it brings its styles as sheets, where an element of styles is against the
 * page's policy. Escape and then Tab leaves it by keyboard.
 */
export function Editor({ label, value, onChange, onRun, onSelect, catalog, fault }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const language = useRef(new Compartment())
  const latest = useLatest({ onChange, onRun, onSelect })

  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const created = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          Prec.highest(
            keymap.of([
              {
                key: 'Mod-Enter',
                run: (editor) => {
                  const { from, to } = editor.state.selection.main
                  latest.current.onRun(from === to ? editor.state.doc.toString() : editor.state.sliceDoc(from, to), from === to ? 0 : from)
                  return true
                },
              },
            ]),
          ),
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          // Asked for by typing, below: what is pasted or filled in needs no list that lies over the page.
          autocompletion({ activateOnTyping: false }),
          EditorView.domEventHandlers({
            blur: (_event, editor) => {
              setTimeout(() => closeCompletion(editor), 150)
            },
          }),
          highlightActiveLine(),
          EditorView.lineWrapping,
          syntaxHighlighting(colours),
          look,
          placeholder('select …'),
          language.current.of(sql({ dialect: PostgreSQL })),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.selectionSet || update.docChanged) {
              const { from, to } = update.state.selection.main
              latest.current.onSelect(update.state.sliceDoc(from, to), from)
            }
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
            if (update.transactions.some((one) => one.isUserEvent('input.type') && typed(one.changes))) setTimeout(() => startCompletion(update.view), 0)
          }),
        ],
      }),
    })
    view.current = created
    return () => {
      created.destroy()
      root.replaceChildren()
      view.current = null
    }
    // The editor keeps its own text; what comes from outside is put in by the effect below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [label])

  useEffect(() => {
    const editor = view.current
    if (editor && editor.state.doc.toString() !== value) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure([sql({ dialect: PostgreSQL, schema: namespace(catalog), defaultSchema: 'public' }), PostgreSQL.language.data.of({ autocomplete: routines(catalog) })]) })
  }, [catalog])
  useEffect(() => {
    const editor = view.current
    if (!editor || !fault) return
    const at = Math.min(fault - 1, editor.state.doc.length)
    editor.dispatch({ selection: { anchor: at }, scrollIntoView: true })
    editor.focus()
  }, [fault])

  return <div className="editor" ref={host} />
}
