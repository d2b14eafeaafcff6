import { useEffect, useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { useAnnounce } from '../../ui/announcer.tsx'
import { useToast } from '../../ui/toast.tsx'
import { composerTexts } from '../texts.ts'

export interface Stop {
  /** It was asked for, and the server has not said yet that it is over. */
  isStopping: boolean
  /** The last turn was stopped from here, and nothing was sent since. */
  hasStopped: boolean
  stop(): void
  forget(): void
}

/** Stops the turn that goes on; `runId` is what is seen of it. */
export function useStop(sessionId: string, isRunning: boolean, runId: string | undefined): Stop {
  const t = useTexts(composerTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const toast = useToast()
  const announce = useAnnounce()
  const [stopped, setStopped] = useState<{ runId?: string; isOver: boolean }>()
  const isStopping = stopped !== undefined && !stopped.isOver

  const hasStopped = stopped?.isOver === true
  const isAnother = runId !== undefined && stopped?.runId !== undefined && runId !== stopped.runId
  if (isStopping && (!isRunning || isAnother)) setStopped({ ...stopped, isOver: true })
  useEffect(() => {
    if (hasStopped) announce(t.stopped)
  }, [hasStopped, announce, t])

  return {
    isStopping,
    hasStopped,
    stop() {
      if (!isRunning || isStopping) return
      setStopped({ runId, isOver: false })
      announce(t.stopping)
      sessions.stop(sessionId, { scope }).then(
        ({ stopped: run }) =>
          setStopped((now) => now && { runId: run?.id ?? now.runId, isOver: now.isOver || run === null }),
        (error: unknown) => {
          setStopped(undefined)
          toast({ title: t.stopFailed, description: error instanceof Error ? error.message : undefined })
        },
      )
    },
    forget: () => setStopped(undefined),
  }
}
