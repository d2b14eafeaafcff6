import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Languages, MessageSquare, MessageSquareText, SunMoon, Workflow } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { usePlanItems } from '../plans/use-plan-items.ts'
import { useRoomCommands } from '../rooms/use-room-commands.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { pathOfPlace, placeOf } from '../workflows/session-place.ts'
import { useWorkflowItems } from '../workflows/use-workflow-items.ts'
import { actionTexts } from './action-texts.ts'
import { usePerform } from './actions-provider.tsx'
import { actions, keysOf } from './actions.ts'
import { appTexts } from './app-texts.ts'
import { formatCombo, isMac } from './key-combo.ts'
import { pages } from './pages.ts'
import type { PaletteGroup, PaletteItem } from './palette-items.ts'
import { paletteTexts } from './palette-texts.ts'
import { setPreferences, usePreferences } from './preferences.ts'
import { keepShellSearch, shellSearchWith } from './shell-search.ts'
import { useTexts } from './texts.ts'

/** All that the palette offers, in its order. */
export function usePaletteGroups(query: string): { groups: PaletteGroup[]; error: Error | null } {
  const t = useTexts(paletteTexts)
  const { sessions, messages, error } = useFound(query)
  const commands = useCommands()
  const pageItems = usePages()
  const workflows = useWorkflowItems(query)
  const plans = usePlanItems(query)
  const here = [
    { value: t.groups.commands, items: commands },
    { value: t.groups.pages, items: pageItems },
    { value: t.groups.rooms, items: useRoomCommands() },
    { value: t.groups.workflows, items: workflows.commands },
    { value: t.groups.plans, items: plans.commands },
    { value: t.groups.appearance, items: useAppearance() },
  ]
  const found = [
    { value: t.groups.sessions, items: sessions },
    { value: t.groups.messages, items: messages },
    { value: t.groups.workflowsFound, items: workflows.found },
    { value: t.groups.plansFound, items: plans.found },
  ]
  // what comes later from the server must not push away what Enter is about to choose
  const groups = query === '' ? [...found, ...here] : [...here, ...found]
  return { groups, error }
}

function useCommands(): PaletteItem[] {
  const t = useTexts(actionTexts)
  const perform = usePerform()
  const chosen = usePreferences(({ shortcuts }) => shortcuts)
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string }
  return actions
    .filter(({ name, scope }) => name !== 'palette' && (scope === 'everywhere' || sessionId !== undefined))
    .map((action) => {
      const [combo] = keysOf(action, chosen)
      return {
        id: `action:${action.name}`,
        label: t.actions[action.name],
        icon: action.icon,
        detail: combo && formatCombo(combo, isMac()),
        words: `${actionTexts.en.actions[action.name]} ${actionTexts.zh.actions[action.name]}`,
        perform: () => perform(action.name),
      }
    })
}

function usePages(): PaletteItem[] {
  const t = useTexts(appTexts)
  const navigate = useNavigate()
  return pages.flatMap(({ path, link }) =>
    link
      ? {
          id: `page:${path}`,
          label: t.pages[link.label],
          icon: link.icon,
          words: `${appTexts.en.pages[link.label]} ${appTexts.zh.pages[link.label]}`,
          perform: () => void navigate({ to: path as string, search: keepShellSearch }),
        }
      : [],
  )
}

function useAppearance(): PaletteItem[] {
  const t = useTexts(paletteTexts)
  const { en, zh } = paletteTexts
  const themes = (['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme:${theme}`,
    label: t.theme[theme],
    icon: SunMoon,
    words: `${en.theme[theme]} ${zh.theme[theme]}`,
    perform: () => setPreferences({ theme }),
  }))
  const languages = (['system', 'en', 'zh'] as const).map((language) => ({
    id: `language:${language}`,
    label: t.language[language],
    icon: Languages,
    words: `${en.language[language]} ${zh.language[language]} Chinese 英文`,
    perform: () => setPreferences({ language }),
  }))
  return [...themes, ...languages]
}

// a letter more is typed sooner than this
const pauseMs = 150

/** Sessions and messages that the server finds; the newest sessions before anything is typed. */
function useFound(query: string) {
  const { untitled } = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const navigate = useNavigate()
  const asked = useDebounced(query, pauseMs)
  const list = useQuery({
    queryKey: keys.sessions({ scope, palette: asked }),
    // before anything is asked for those that people began: steps of a workflow would push them out
    queryFn: () =>
      client.sessions.list(
        asked === '' ? { scope, kind: 'interactive', limit: 5 } : { scope, q: asked, limit: 8 },
      ),
    placeholderData: keepPreviousData,
  })
  const hits = useQuery({
    queryKey: keys.sessions({ scope, paletteHits: asked }),
    queryFn: () => client.search({ scope, q: asked, limit: 6 }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const open = (sessionId: string, message?: string) =>
    void navigate({
      to: '/sessions/$sessionId' as string,
      params: { sessionId } as never,
      search: shellSearchWith({ message }),
    })
  // an answer to the words before is shown as far as it fits
  const isFound = list.isPlaceholderData || asked !== query ? {} : ({ isFound: true } as const)
  const sessions = (list.data?.items ?? []).map((session): PaletteItem => {
    // that of a run has a page which says more
    const place = session.kind === 'tool' ? placeOf(session) : undefined
    const path = place && pathOfPlace(place)
    return {
      id: `session:${session.id}`,
      label: session.title || untitled,
      icon: place ? Workflow : MessageSquare,
      ...isFound,
      perform: () =>
        path === undefined ? open(session.id) : void navigate({ to: path, search: keepShellSearch }),
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
  return { sessions, messages, error: list.error ?? hits.error }
}
