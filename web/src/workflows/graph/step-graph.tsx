import { lazy, Suspense } from 'react'
import { Loading } from '../../ui/states.tsx'
import type { FlowProps } from './flow.tsx'

const Flow = lazy(async () => ({ default: (await import('./flow.tsx')).Flow }))

/** The steps as a drawing; what draws it is loaded when one is shown. */
export const StepGraph = (props: FlowProps) => (
  <Suspense fallback={<Loading />}>
    <Flow {...props} />
  </Suspense>
)
