import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { windowQuery } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { contextTexts } from './texts.ts'
import { MessageLink } from './message-link.tsx'
import { ResizeForm } from './resize-form.tsx'
import { ResizeLog } from './resize-log.tsx'
import { WindowForm } from './window-form.tsx'
import { WindowFullness } from './window-fullness.tsx'
import { WindowSettings } from './window-settings.tsx'

/** What of the log the model sees, what decides about it, and when it was cut. */
export function WindowView({ sessionId }: { sessionId: string }) {
  const t = useTexts(contextTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery(windowQuery(client, sessionId, scope))
  const startSeq = data?.startSeq
  const first = useQuery({
    queryKey: [...sessionKeys.messages(sessionId), 'at', startSeq],
    queryFn: () => client.sessions.messages(sessionId, { scope, after: startSeq! - 1, limit: 1 }),
    enabled: startSeq !== undefined,
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { logMessages, stopped } = data
  const message = first.data?.items[0]
  return (
    <div className="flex flex-col gap-5 p-3">
      <section className="flex flex-col gap-2">
        <p>
          {logMessages === 0
            ? t.windowEmpty
            : data.startSeq <= 1
              ? t.windowWhole(logMessages)
              : t.windowStart(data.startSeq, logMessages)}
        </p>
        <LogStrip start={data.startSeq} all={logMessages} />
        {message && (
          <p className="text-sm">
            <MessageLink sessionId={sessionId} messageId={message.id} label={t.firstMessage(data.startSeq)}>
              {t.firstMessage(data.startSeq)}
            </MessageLink>
          </p>
        )}
        {stopped !== undefined && (
          <p role="note" className="rounded-md border border-line bg-mark p-2 text-sm">
            {t.stopped} {stopped}
          </p>
        )}
      </section>
      <WindowFullness view={data} />
      <WindowSettings view={data} />
      <WindowForm key={JSON.stringify(data.settings)} sessionId={sessionId} settings={data.settings} />
      <ResizeForm sessionId={sessionId} />
      <ResizeLog resizes={data.resizes} />
    </div>
  )
}

/** The log as a strip, with the window at its end. */
function LogStrip({ start, all }: { start: number; all: number }) {
  if (all === 0) return null
  const gone = (100 * Math.max(0, start - 1)) / all
  return (
    <div aria-hidden className="flex h-2.5 overflow-hidden rounded-full border border-line bg-page">
      <div style={{ width: `${gone}%` }} />
      <div className="min-w-1 flex-1 bg-accent" />
    </div>
  )
}
