import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useClient } from '../../api/api.tsx'
import { catalogueKeys } from '../../api/catalogue-queries.ts'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { appTexts } from '../../shell/shell-texts.ts'
import { useTexts } from '../../shell/texts.ts'
import {
  matchCommands,
  splitMention,
  toCommandOption,
  toFileOption,
  toSessionOption,
  type Option,
  type Trigger,
} from './completion.ts'
import { composerTexts } from '../texts.ts'

const maxFiles = 10
const maxSessions = 5

/** Offers what an @ can mean beside files and sessions. */
export type Mentions = (query: string) => readonly Option[]

/** What could be meant; nothing while nobody asks. */
export function useCompletion(
  trigger: Trigger | undefined,
  ownSessionId?: string,
  mentions?: Mentions,
): readonly Option[] {
  const t = useTexts(composerTexts)
  const { untitled } = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const mention = trigger?.kind === 'mention' ? splitMention(trigger.query) : undefined

  const commands = useQuery({
    queryKey: [...catalogueKeys.catalogue('commands'), scope],
    queryFn: () => client.catalogue.commands({ scope }),
    enabled: trigger?.kind === 'command',
    retry: false,
  })
  const files = useQuery({
    queryKey: [...catalogueKeys.catalogue('files'), scope, mention?.words],
    queryFn: () => client.catalogue.files({ scope, q: mention!.words, limit: maxFiles }),
    enabled: mention !== undefined && mention.only !== 'session',
    placeholderData: keepPreviousData,
    // files come and go without anybody telling
    staleTime: 2_000,
    retry: false,
  })
  const sessions = useQuery({
    queryKey: sessionKeys.sessions({ scope, q: mention?.words, use: 'mention' }),
    queryFn: () =>
      client.sessions.list({ scope, limit: maxSessions + 1, ...(mention!.words && { q: mention!.words }) }),
    enabled: mention !== undefined && mention.only !== 'file',
    placeholderData: keepPreviousData,
    retry: false,
  })

  return useMemo(() => {
    if (!trigger) return []
    if (trigger.kind === 'command')
      return matchCommands(commands.data?.items ?? [], trigger.query).map((command) =>
        toCommandOption(command, command.source === 'built-in' ? t.builtIn : command.source),
      )
    const { only, words } = splitMention(trigger.query)
    const meant = mentions?.(trigger.query) ?? []
    if (meant.length > 0) return meant
    // answers to fewer letters stay until the next ones come: what does not fit any more must not be picked
    const fits = (text: string) => text.toLowerCase().includes(words.toLowerCase())
    const paths = (files.data?.items ?? []).filter(({ path }) => !files.isPlaceholderData || fits(path))
    const named = (sessions.data?.items ?? []).filter(
      ({ title }) => !sessions.isPlaceholderData || fits(title),
    )
    return [
      ...(only === 'session' ? [] : paths.map(toFileOption)),
      ...(only === 'file' ? [] : named)
        .filter(({ id }) => id !== ownSessionId)
        .slice(0, maxSessions)
        .map((session) => toSessionOption(session, untitled)),
    ]
  }, [
    trigger,
    commands.data,
    files.data,
    files.isPlaceholderData,
    sessions.data,
    sessions.isPlaceholderData,
    ownSessionId,
    mentions,
    t,
    untitled,
  ])
}
