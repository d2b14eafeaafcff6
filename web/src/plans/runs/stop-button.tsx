import { useQueryClient } from '@tanstack/react-query'
import { Square } from 'lucide-react'
import { useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { planKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDeed } from '../../ui/confirm-deed.tsx'
import { useToast } from '../../ui/toast.tsx'
import { planRunTexts } from '../texts.ts'

/** Stops a run, after it was asked once more. */
export function StopButton({ runId }: { runId: string }) {
  const t = useTexts(planRunTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="small" variant="danger" onClick={() => setAsking(true)}>
        <Square aria-hidden />
        {t.stop}
      </Button>
      {isAsking && (
        <ConfirmDeed
          title={t.stopTitle}
          label={t.stop}
          failure={t.notDone}
          deed={() => client.plans.cancelRun(runId, { scope })}
          onDone={(run) => {
            queries.setQueryData(planKeys.run(runId), run)
            if (run.planId !== undefined) void queries.invalidateQueries({ queryKey: ['plan', run.planId] })
            toast({ title: t.stopped })
          }}
          onClose={() => setAsking(false)}
        >
          {t.stopWords}
        </ConfirmDeed>
      )}
    </>
  )
}
