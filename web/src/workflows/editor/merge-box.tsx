import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { MergeView } from '@codemirror/merge'
import { EditorView, keymap } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { commonExtensions, shadowOf } from './mount-editor.ts'
import type { MergeProps } from './yaml-editor.tsx'

export function MergeBox({ theirs, mine, labels, onChange }: MergeProps) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef({ mine, labels, onChange })
  useEffect(() => {
    latest.current = { mine, labels, onChange }
  })
  useEffect(() => {
    const root = shadowOf(host.current!)
    const words = latest.current.labels
    const view = new MergeView({
      root,
      parent: root,
      a: { doc: theirs, extensions: commonExtensions(words.theirs, true) },
      b: {
        doc: latest.current.mine,
        extensions: [
          commonExtensions(words.mine, false),
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString())
          }),
        ],
      },
      revertControls: 'a-to-b',
      renderRevertControl() {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = '→'
        button.ariaLabel = words.takeOver
        button.title = words.takeOver
        return button
      },
      collapseUnchanged: { margin: 3, minSize: 6 },
    })
    return () => view.destroy()
  }, [theirs])
  return <div ref={host} className="max-h-[50vh] overflow-auto rounded-md border border-line" />
}
