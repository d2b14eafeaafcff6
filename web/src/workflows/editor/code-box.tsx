import { useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react'
import { useTexts } from '../../shell/texts.ts'
import type { DefinitionProblem } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import type { PlacedStep } from '../definition.ts'
import { editorTexts } from '../texts.ts'
import { createEchoes } from './echoes.ts'
import { mountEditor, type Editor } from './mount-editor.ts'
import type { Schema } from './schema-options.ts'
import { findPlaces, innermost, toKey } from './yaml-paths.ts'

export interface CodeBoxHandle {
  goToStep(id: string): void
  goToLine(line: number, column: number): void
}

export interface CodeBoxProps {
  label: string
  value: string
  isReadOnly?: boolean
  problems?: readonly DefinitionProblem[]
  schema?: Schema
  /** What the cursor may be in. */
  steps?: readonly PlacedStep[]
  handle?: Ref<CodeBoxHandle>
  onChange?(text: string): void
  /** The cursor came into another step. */
  onStep?(id: string | undefined): void
}

const noProblems: readonly DefinitionProblem[] = []

/** CodeMirror as a component: whatever it is told is kept in step with it, and it is made once. */
export function CodeBox(props: CodeBoxProps) {
  const { label, value, isReadOnly = false, problems = noProblems, handle } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const latest = useRef(props)
  const [echoes] = useState(createEchoes)
  const phrases = useTexts(editorTexts)
  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    const spansOf = () => {
      const places = findPlaces(latest.current.value)
      return (latest.current.steps ?? []).flatMap(({ step, path }) => {
        const span = places.get(toKey(path))
        return span ? [[step.id, span] as const] : []
      })
    }
    const made = mountEditor(host.current!, {
      text: latest.current.value,
      label,
      isReadOnly,
      phrases,
      schema: () => latest.current.schema,
      onChange(text) {
        echoes.report(text)
        latest.current.onChange?.(text)
      },
      onMove: (offset) => latest.current.onStep && latest.current.onStep(innermost(spansOf(), offset)),
    })
    made.setProblems(latest.current.problems ?? noProblems)
    editor.current = made
    return () => {
      editor.current = undefined
      made.close()
    }
  }, [label, isReadOnly, phrases, echoes])
  useEffect(() => {
    if (!echoes.take(value)) editor.current?.setText(value)
  }, [value, echoes])
  useEffect(() => editor.current?.setProblems(problems), [problems])
  useImperativeHandle(handle, () => ({
    goToStep(id) {
      const placed = latest.current.steps?.find(({ step }) => step.id === id)
      const span = placed && findPlaces(latest.current.value).get(toKey(placed.path))
      if (span) editor.current?.goTo(span.from)
    },
    goToLine: (line, column) => editor.current?.goToLine(line, column),
  }))
  return <div ref={host} className="h-full min-h-0 overflow-hidden" />
}
