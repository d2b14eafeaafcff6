import { lazy, Suspense } from 'react'
import { Loading } from '../../ui/states.tsx'
import type { CodeBoxProps } from './code-box.tsx'

// what draws an editor is as large as the rest of a page: loaded where one is shown
const CodeBox = lazy(async () => ({ default: (await import('./code-box.tsx')).CodeBox }))
const MergeBox = lazy(async () => ({ default: (await import('./merge-box.tsx')).MergeBox }))

export const YamlEditor = (props: CodeBoxProps) => (
  <Suspense fallback={<Loading />}>
    <CodeBox {...props} />
  </Suspense>
)

interface MergeProps {
  theirs: string
  mine: string
  labels: { theirs: string; mine: string; takeOver: string }
  onChange(mine: string): void
}

/** Two texts beside each other; pieces of one can be taken over into the other. */
export const MergeEditor = (props: MergeProps) => (
  <Suspense fallback={<Loading />}>
    <MergeBox {...props} />
  </Suspense>
)
export type { MergeProps }
