import { useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { RollbackWorkflow } from './rollback-workflow.tsx'
import { VersionDiff } from './version-diff.tsx'
import { workflowTexts } from './texts.ts'

interface Props {
  workflow: Workflow
  sessionId: string
}

/** What the model of the chat saved last: seen where one asked for it, and taken back there. */
export function LatestChange({ workflow, sessionId }: Props) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: [...workflowKeys.versions(workflow.id), 'latest', workflow.version],
    queryFn: () => client.workflows.versions(workflow.id, { scope, limit: 1 }),
  })
  const [isUndoing, setUndoing] = useState(false)
  const latest = data?.items[0]
  if (!latest || latest.sessionId !== sessionId) return null
  const before = latest.version - 1
  return (
    <details className="shrink-0 border-b border-line bg-surface text-sm">
      <summary className="px-3 py-1.5">
        {t.diffOf(latest.version)} · <RelativeTime time={latest.createdAt} className="text-muted" />
      </summary>
      <VersionDiff id={workflow.id} before={before} after={latest.version} />
      {before > 0 && (
        <div className="border-t border-line px-3 py-1.5">
          <Button size="small" onClick={() => setUndoing(true)}>
            <Undo2 aria-hidden />
            {t.undoChange}
          </Button>
        </div>
      )}
      {isUndoing && (
        <RollbackWorkflow workflow={workflow} version={before} onClose={() => setUndoing(false)} />
      )}
    </details>
  )
}
