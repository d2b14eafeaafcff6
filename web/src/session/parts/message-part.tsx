import { memo, Suspense } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import { LazyView } from '../../shell/lazy-view.tsx'
import { usePartViews } from '../../shell/part-views.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { FilePart } from './file-part.tsx'
import { isToolPart, toolNameOf } from './part-groups.ts'
import { ReasoningPart } from './reasoning-part.tsx'
import { SteerNote } from './steer-note.tsx'
import { UnknownPart } from './unknown-part.tsx'

/** One part of an answer. A part is never changed but replaced, so one that is the same is not drawn again. */
export const MessagePart = memo(function MessagePart({ part }: { part: Part }) {
  const isStreaming = part.state === 'streaming'
  if (part.type === 'text') return <Markdown text={part.text as string} isStreaming={isStreaming} />
  if (part.type === 'reasoning') return <ReasoningPart text={part.text as string} isStreaming={isStreaming} />
  if (part.type === 'file') return <FilePart part={part} />
  if (part.type === 'data-steer') return <SteerNote part={part} />
  return <ContributedPart part={part} />
})

function ContributedPart({ part }: { part: Part }) {
  const views = usePartViews()
  const load = isToolPart(part) ? views.ofTool(toolNameOf(part)) : views.ofPart(part.type)
  if (!load) return <UnknownPart part={part} />
  return (
    <Suspense>
      <LazyView load={load} part={part} />
    </Suspense>
  )
}
