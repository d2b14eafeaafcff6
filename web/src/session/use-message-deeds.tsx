import { Copy, GitFork, Link, Pencil, RefreshCw, Undo2 } from 'lucide-react'
import { useMemo } from 'react'
import type { Message } from '../../../src/client/index.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { useToast } from '../ui/toast.tsx'
import type { MessageAction } from './message-actions.tsx'
import { sessionLink } from './session-link.ts'
import { sessionTexts } from './texts.ts'
import { useOpenSession } from './use-open-session.ts'
import type { Variants } from './use-variants.ts'

interface Options {
  sessionId: string
  title: string
  messages: readonly Message[]
  variants: Variants
  onEdit(messageId: string | undefined): void
  /** Whether the turn that the message began can be undone. */
  canRollBack(message: Message): boolean
  onRollBack(message: Message): void
}

/** The same object until the log or its variants change, so that a message is not drawn again for it. */
export interface MessageDeeds {
  actionsOf(message: Message): MessageAction[]
  sendEdit(message: Message, text: string): Promise<void>
  closeEdit(): void
}

/** What can be done with a message. Only going back takes anything away, and asks first. */
export function useMessageDeeds({
  sessionId,
  title,
  messages,
  variants,
  onEdit,
  canRollBack,
  onRollBack,
}: Options): MessageDeeds {
  const t = useTexts(sessionTexts)
  const { copied, untitled } = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const open = useOpenSession()
  const toast = useToast()

  return useMemo<MessageDeeds>(() => {
    const attempt = async (deed: () => Promise<void>) => {
      try {
        await deed()
      } catch (error) {
        toast({ title: t.actionFailed, description: error instanceof Error ? error.message : String(error) })
      }
    }
    const copy = (text: string, said: string) =>
      void attempt(async () => {
        await navigator.clipboard.writeText(text)
        toast({ title: said })
      })

    const actionsOf = (message: Message): MessageAction[] => {
      const index = messages.indexOf(message)
      const question =
        message.role === 'assistant' ? messages.slice(0, index).findLast(isQuestion) : undefined
      return [
        {
          name: 'copy',
          label: t.copyMarkdown,
          icon: Copy,
          perform: () => copy(messageText(message), copied),
        },
        ...(isQuestion(message)
          ? [{ name: 'edit', label: t.edit, icon: Pencil, perform: () => onEdit(message.id) }]
          : []),
        ...(question
          ? [
              {
                name: 'regenerate',
                label: t.regenerate,
                icon: RefreshCw,
                perform: () => void attempt(() => variants.sayInstead(question, question.parts)),
              },
            ]
          : []),
        {
          name: 'fork',
          label: t.fork,
          icon: GitFork,
          perform: () =>
            void attempt(async () => {
              const forked = await client.sessions.fork(sessionId, {
                scope,
                messageId: message.id,
                title: t.forkTitle(title || untitled).slice(0, 200),
              })
              open(forked.id)
            }),
        },
        {
          name: 'link',
          label: t.link,
          icon: Link,
          perform: () => copy(sessionLink(sessionId, message.id), t.linkCopied),
        },
        ...(canRollBack(message)
          ? [{ name: 'rollback', label: t.rollback, icon: Undo2, perform: () => onRollBack(message) }]
          : []),
      ]
    }

    return {
      actionsOf,
      async sendEdit(message, text) {
        const others = message.parts.filter(({ type }) => type !== 'text')
        await attempt(() => variants.sayInstead(message, [{ type: 'text', text }, ...others]))
      },
      closeEdit: () => onEdit(undefined),
    }
  }, [
    sessionId,
    title,
    messages,
    variants,
    onEdit,
    canRollBack,
    onRollBack,
    t,
    copied,
    untitled,
    client,
    scope,
    open,
    toast,
  ])
}

/** Said by a person; a turn that tasks began has words of its own. */
export const isQuestion = ({ role, metadata }: Message) => role === 'user' && metadata?.source !== 'tasks'
