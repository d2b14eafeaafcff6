import { Workflow } from 'lucide-react'
import type { Session } from '../../../src/client/index.ts'
import { useTexts, type WordsOf } from '../shell/texts.ts'
import { pathOfPlace, placeOf, type SessionPlace } from './session-place.ts'
import { sessionPlaceTexts } from './texts.ts'
import { WorkflowLink } from './workflow-link.tsx'

/** Says of a session of a workflow where it belongs, and leads there. */
export function SessionPlaceBar({ session }: { session: Session }) {
  const t = useTexts(sessionPlaceTexts)
  const place = placeOf(session)
  if (!place) return null
  const path = pathOfPlace(place)
  const isChat = place.kind === 'workflow'
  return (
    <section aria-label={t.label} className="border-b border-line bg-surface">
      <p className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-2 px-4 py-1.5 text-sm">
        <Workflow aria-hidden className="size-4 shrink-0 text-muted" />
        <bdi className="min-w-0 wrap-anywhere">{wordsOf(place, t)}</bdi>
        {path !== undefined && (
          <WorkflowLink to={path} search={isChat ? { tab: 'chat' } : undefined}>
            {isChat ? t.openWorkflow : t.openRun}
          </WorkflowLink>
        )}
      </p>
    </section>
  )
}

function wordsOf(place: SessionPlace, t: WordsOf<typeof sessionPlaceTexts>): string {
  if (place.kind === 'step') return t.step(place.step, place.name)
  if (place.kind === 'run') return t.run(place.name)
  return place.name === undefined ? t.newWorkflow : t.workflow(place.name)
}
