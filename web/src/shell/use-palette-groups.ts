import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Languages, MessageSquare, MessageSquareText, SunMoon } from 'lucide-react'
import { use } from 'react'
import type { SearchPage } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys, untilSearched } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { usePerform } from './actions-provider.tsx'
import { keysOf } from './actions.ts'
import { appTexts, paletteTexts } from './shell-texts.ts'
import { formatCombo, isMac } from './key-combo.ts'
import { wordsOf, type PaletteGroup, type PaletteItem } from './palette-items.ts'
import { loadSource } from './palette-sources.ts'
import { setPreferences, usePreferences } from './preferences.ts'
import { useFeatures, useKeptSearch } from './features-context.tsx'
import { useSessionPlace } from './session-place.ts'
import { useName, useTexts } from './texts.ts'
import { useActions } from './use-actions.ts'
import { useNav } from './use-nav.ts'

/** All that the palette offers, in its order. */
export function usePaletteGroups(query: string): {
  groups: PaletteGroup[]
  error: Error | null
  indexing: SearchPage['indexing']
} {
  const t = useTexts(paletteTexts)
  const { sessions, messages, error, indexing } = useFound(query)
  const commands = useCommands()
  const pageItems = usePages()
  const contributed = useContributed(query)
  const here = [
    { value: t.groups.commands, items: commands },
    { value: t.groups.pages, items: pageItems },
    ...contributed.commands,
    { value: t.groups.appearance, items: useAppearance() },
  ]
  const found = [
    { value: t.groups.sessions, items: sessions },
    { value: t.groups.messages, items: messages },
    ...contributed.found,
  ]
  // what comes later from the server must not push away what Enter is about to choose
  const groups = query === '' ? [...found, ...here] : [...here, ...found]
  return { groups, error, indexing }
}

/** What features offer. */
function useContributed(query: string): { commands: PaletteGroup[]; found: PaletteGroup[] } {
  const nameOf = useName()
  const commands: PaletteGroup[] = []
  const found: PaletteGroup[] = []
  for (const { commands: source } of useFeatures()) {
    if (!source) continue
    const useItems = use(loadSource(source))
    // oxlint-disable-next-line react/rules-of-hooks -- the list stays as it is
    const items = useItems(query)
    commands.push({ value: nameOf(source.name), items: items.commands })
    if (source.found) found.push({ value: nameOf(source.found), items: items.found ?? [] })
  }
  return { commands, found }
}

function useCommands(): PaletteItem[] {
  const nameOf = useName()
  const perform = usePerform()
  const chosen = usePreferences(({ shortcuts }) => shortcuts)
  const { sessionId } = useParams({ strict: false })
  return useActions()
    .filter(({ name, scope }) => name !== 'palette' && (scope === 'everywhere' || sessionId !== undefined))
    .map((action) => {
      const [combo] = keysOf(action, chosen)
      return {
        id: `action:${action.name}`,
        label: nameOf(action.label),
        icon: action.icon,
        detail: combo && formatCombo(combo, isMac()),
        words: wordsOf(action.label),
        perform: () => perform(action),
      }
    })
}

function usePages(): PaletteItem[] {
  const keepSearch = useKeptSearch()
  const nameOf = useName()
  const navigate = useNavigate()
  return useNav().map(({ path, name, icon }) => ({
    id: `page:${path}`,
    label: nameOf(name),
    icon,
    words: wordsOf(name),
    perform: () => void navigate({ to: path as string, search: keepSearch() }),
  }))
}

const themes = {
  system: { en: 'Theme: as the system', zh: '主题：跟随系统' },
  light: { en: 'Theme: light', zh: '主题：浅色' },
  dark: { en: 'Theme: dark', zh: '主题：深色' },
}
const languages = {
  system: { en: 'Language: as the browser', zh: '语言：跟随浏览器' },
  en: { en: 'Language: English', zh: '语言：English' },
  zh: { en: 'Language: 中文', zh: '语言：中文' },
}

function useAppearance(): PaletteItem[] {
  const nameOf = useName()
  return [
    ...(['system', 'light', 'dark'] as const).map((theme) => ({
      id: `theme:${theme}`,
      label: nameOf(themes[theme]),
      icon: SunMoon,
      words: wordsOf(themes[theme]),
      perform: () => setPreferences({ theme }),
    })),
    ...(['system', 'en', 'zh'] as const).map((language) => ({
      id: `language:${language}`,
      label: nameOf(languages[language]),
      icon: Languages,
      words: `${wordsOf(languages[language])} Chinese 英文`,
      perform: () => setPreferences({ language }),
    })),
  ]
}

// a letter more is typed sooner than this
const pauseMs = 150

/** Sessions and messages that the server finds; the newest sessions before anything is typed. */
function useFound(query: string) {
  const keepSearch = useKeptSearch()
  const { untitled } = useTexts(appTexts)
  const placeOf = useSessionPlace()
  const client = useClient()
  const scope = useScope()
  const navigate = useNavigate()
  const asked = useDebounced(query, pauseMs)
  const list = useQuery({
    queryKey: sessionKeys.sessions({ scope, palette: asked }),
    // before anything is asked for those that people began: steps of a workflow would push them out
    queryFn: () =>
      client.sessions.list(
        asked === '' ? { scope, kind: 'interactive', limit: 5 } : { scope, q: asked, limit: 8 },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilSearched(state.data),
  })
  const hits = useQuery({
    queryKey: sessionKeys.sessions({ scope, paletteHits: asked }),
    queryFn: () => client.search({ scope, q: asked, limit: 6 }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilSearched(state.data),
  })
  const open = (sessionId: string, message?: string) =>
    void navigate({
      to: '/sessions/$sessionId',
      params: { sessionId },
      search: keepSearch({ message }),
    })
  // an answer to the words before is shown as far as it fits
  const isFound = list.isPlaceholderData || asked !== query ? {} : ({ isFound: true } as const)
  const sessions = (list.data?.items ?? []).map((session): PaletteItem => {
    // that of a run has a page which says more
    const place = session.kind === 'tool' ? placeOf(session) : undefined
    return {
      id: `session:${session.id}`,
      label: session.title || untitled,
      icon: place?.icon ?? MessageSquare,
      ...isFound,
      perform: () =>
        place ? void navigate({ to: place.path as string, search: keepSearch() }) : open(session.id),
    }
  })
  const messages = (query === '' ? [] : (hits.data?.items ?? [])).map((hit): PaletteItem => ({
    id: `message:${hit.sessionId}/${hit.messageId}`,
    label: hit.snippet,
    icon: MessageSquareText,
    detail: hit.title || untitled,
    ...isFound,
    perform: () => open(hit.sessionId, hit.messageId),
  }))
  const indexing = query === '' ? undefined : (hits.data?.indexing ?? list.data?.indexing)
  return { sessions, messages, error: list.error ?? hits.error, indexing }
}
