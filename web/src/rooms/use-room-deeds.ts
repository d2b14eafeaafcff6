import { useNavigate } from '@tanstack/react-router'
import { Copy, GitFork, Link, ScanText } from 'lucide-react'
import { useMemo } from 'react'
import type { Message } from '../../../src/client/index.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import type { MessageAction } from '../session/message-actions.tsx'
import { sessionLink } from '../session/session-link.ts'
import { sessionTexts } from '../session/texts.ts'
import { useOpenSession } from '../session/use-open-session.ts'
import { useToast } from '../ui/toast.tsx'
import type { ShownTurn } from './room-items.ts'
import { roomTexts } from './texts.ts'

interface Options {
  sessionId: string
  title: string
  /** A person plays: what agents were told is not to be seen. */
  isSealed: boolean
  onAskAgain(agent: string): void
}

/** The same object until something of it changes, so that nothing is drawn again for it. */
export interface RoomDeeds {
  actionsOf(message: Message, turn?: ShownTurn): MessageAction[]
  /** Leads to what the agent was sent; undefined where that must not be seen. */
  inspectionOf(turn: ShownTurn): (() => void) | undefined
  askAgain(agent: string): void
}

/** What can be done with what was said in a room. */
export function useRoomDeeds({ sessionId, title, isSealed, onAskAgain }: Options): RoomDeeds {
  const t = useTexts(roomTexts)
  const words = useTexts(sessionTexts)
  const { copied, untitled } = useTexts(appTexts)
  const { sessions, runs } = useClient()
  const scope = useScope()
  const navigate = useNavigate()
  const open = useOpenSession()
  const toast = useToast()
  return useMemo<RoomDeeds>(() => {
    const attempt =
      (deed: () => Promise<void>, failure = t.failed) =>
      () =>
        void deed().catch((error: unknown) =>
          toast({ title: failure, description: error instanceof Error ? error.message : String(error) }),
        )
    const copy = (text: string, said: string) =>
      attempt(async () => {
        await navigator.clipboard.writeText(text)
        toast({ title: said })
      })
    const inspect = (runId: string) =>
      attempt(async () => {
        const { sessionId: seat } = await runs.get(runId, { scope })
        await navigate({
          to: '/sessions/$sessionId',
          params: { sessionId: seat },
          search: { scope, dock: 'context', view: 'prompt', run: runId },
        })
      }, t.promptFailed)
    const inspectionOf = ({ runId }: Pick<ShownTurn, 'runId'>) =>
      isSealed || runId === undefined ? undefined : inspect(runId)
    return {
      inspectionOf,
      askAgain: onAskAgain,
      actionsOf(message, turn) {
        const { runId } = message.metadata ?? {}
        const show = turn && inspectionOf({ runId: typeof runId === 'string' ? runId : turn.runId })
        return [
          {
            name: 'copy',
            label: words.copyMarkdown,
            icon: Copy,
            perform: copy(messageText(message), copied),
          },
          {
            name: 'fork',
            label: words.fork,
            icon: GitFork,
            perform: attempt(async () => {
              const name = words.forkTitle(title || untitled).slice(0, 200)
              const forked = await sessions.fork(sessionId, { scope, messageId: message.id, title: name })
              open(forked.id)
            }),
          },
          {
            name: 'link',
            label: words.link,
            icon: Link,
            perform: copy(sessionLink(sessionId, message.id), words.linkCopied),
          },
          ...(show ? [{ name: 'prompt', label: t.prompt, icon: ScanText, perform: show }] : []),
        ]
      },
    }
  }, [
    sessionId,
    title,
    isSealed,
    onAskAgain,
    t,
    words,
    copied,
    untitled,
    sessions,
    runs,
    scope,
    navigate,
    open,
    toast,
  ])
}
