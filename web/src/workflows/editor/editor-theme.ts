import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { highlighter } from './highlighter.ts'

const mono = "ui-monospace, 'Cascadia Code', 'Noto Sans Mono', 'Noto Sans Mono CJK SC', monospace"

/** Colours are those of the page, which knows whether it is light or dark. */
const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--page)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: mono },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '280px' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'inherit' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--danger)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '6px',
    padding: '6px 32px 6px 8px',
    fontFamily: 'system-ui, sans-serif',
    fontSize: '13px',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': { margin: '0' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: '4px', fontSize: '13px' },
  '.cm-panel.cm-search [name=close]': {
    top: '6px',
    right: '6px',
    width: '24px',
    height: '24px',
    borderRadius: '6px',
    fontSize: '16px',
    color: 'var(--text)',
  },
  '.cm-textfield': {
    minWidth: '8rem',
    flex: '1 1 8rem',
    padding: '2px 8px',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--page)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '.cm-button': {
    padding: '2px 8px',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-button:active': { backgroundImage: 'none' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible, .cm-search [type=checkbox]:focus-visible': {
    outline: '2px solid var(--focus)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)', outline: '1px solid var(--line)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.code-key': { color: 'var(--accent)' },
  '.code-comment': { color: 'var(--muted)', fontStyle: 'italic' },
  '.code-text': { color: 'var(--run-completed)' },
  '.code-sign': { color: 'var(--muted)' },
  '.code-name': { color: 'var(--warning)' },
  // of two texts beside each other
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--removed)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added)' },
  '&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'none',
    textDecoration: 'underline',
    textUnderlineOffset: '3px',
  },
})

export const editorTheme: Extension = [look, highlighter]
