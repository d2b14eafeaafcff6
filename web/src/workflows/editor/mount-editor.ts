import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import {
  drawSelection,
  highlightSpecialChars,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import type { DefinitionProblem } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { completeFrom } from './completion.ts'
import { editorTheme } from './editor-theme.ts'
import type { Schema } from './schema-options.ts'

export interface EditorOptions {
  text: string
  label: string
  isReadOnly: boolean
  /** What the editor itself says, by its English words. */
  phrases: Record<string, string>
  schema(): Schema | undefined
  onChange(text: string): void
  /** The cursor is elsewhere. */
  onMove(offset: number): void
}

export interface Editor {
  /** Another text in the place of all that is there; the same text changes nothing. */
  setText(text: string): void
  setProblems(problems: readonly DefinitionProblem[]): void
  goTo(offset: number): void
  goToLine(line: number, column: number): void
  close(): void
}

/**
 * Its styles are put into a tree of its own: the page refuses styles that a script writes into it, and takes those that
 * are handed to a shadow root.
 */
export const shadowOf = (host: HTMLElement): ShadowRoot =>
  host.shadowRoot ?? host.attachShadow({ mode: 'open' })

// besides controls, and what is commonly used to turn text around
const alsoHidden = /\p{Default_Ignorable_Code_Point}|\u00a0/u

export const commonExtensions = (label: string, isReadOnly: boolean): Extension => [
  lineNumbers(),
  drawSelection(),
  highlightSpecialChars({ addSpecialChars: alsoHidden }),
  yaml(),
  indentUnit.of('  '),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
  isReadOnly ? [EditorState.readOnly.of(true)] : [],
  editorTheme,
]

export function mountEditor(host: HTMLElement, options: EditorOptions): Editor {
  const root = shadowOf(host)
  let isOwnChange = false
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        commonExtensions(options.label, options.isReadOnly),
        history(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        bracketMatching(),
        indentOnInput(),
        lintGutter(),
        EditorState.phrases.of(options.phrases),
        search({ top: true }),
        autocompletion({ override: [completeFrom(options.schema)], icons: false, activateOnTypingDelay: 50 }),
        keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOwnChange) options.onChange(update.state.doc.toString())
          if (update.selectionSet && !isOwnChange) options.onMove(update.state.selection.main.head)
        }),
      ],
    }),
  })
  const goTo = (offset: number) => {
    const anchor = Math.min(offset, view.state.doc.length)
    view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    })
    view.focus()
  }
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return
      isOwnChange = true
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
      isOwnChange = false
    },
    setProblems: (problems) =>
      view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state.doc, problems))),
    goTo,
    goToLine: (line, column) => goTo(offsetOf(view.state.doc, line, column)),
    close: () => view.destroy(),
  }
}

function offsetOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return Math.min(found.from + column - 1, found.to)
}

/** A problem is marked from its place to the end of the line; one without a place is on the first. */
const toDiagnostics = (doc: Text, problems: readonly DefinitionProblem[]): Diagnostic[] =>
  problems.map(({ message, line = 1, column = 1 }) => {
    const from = offsetOf(doc, line, column)
    return { from, to: Math.max(doc.lineAt(from).to, from), severity: 'error' as const, message }
  })
