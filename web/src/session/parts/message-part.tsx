import { lazy, memo, Suspense } from 'react'
import type { Part, TaskResult } from '../../../../src/client/index.ts'
import type { PlanTurn } from '../../../../src/extensions/plan/protocol/plan-run.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { FilePart } from './file-part.tsx'
import { isTaskPart } from './part-groups.ts'
import { ReasoningPart } from './reasoning-part.tsx'
import { SteerNote } from './steer-note.tsx'
import { TaskCard, TaskResultCard } from './task-card.tsx'

const PlanPart = lazy(async () => ({
  default: (await import('../../plans/session/plan-part.tsx')).PlanPart,
}))

/** One part of an answer. A part is never changed but replaced, so one that is the same is not drawn again. */
export const MessagePart = memo(function MessagePart({ part }: { part: Part }) {
  const isStreaming = part.state === 'streaming'
  if (part.type === 'text') return <Markdown text={part.text as string} isStreaming={isStreaming} />
  if (part.type === 'reasoning') return <ReasoningPart text={part.text as string} isStreaming={isStreaming} />
  if (part.type === 'file') return <FilePart part={part} />
  if (part.type === 'data-steer') return <SteerNote part={part} />
  if (part.type === 'data-task-result') return <TaskResultCard result={part.data as TaskResult} />
  if (part.type === 'data-plan')
    return (
      <Suspense>
        <PlanPart turn={part.data as PlanTurn} />
      </Suspense>
    )
  if (isTaskPart(part)) return <TaskCard part={part} />
  // kinds that others made up are kept, and not shown
  return null
})
