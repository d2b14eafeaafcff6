import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ListTodo, MessageSquarePlus, Plus } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { planKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { wordsOf, type PaletteItem } from '../shell/palette-items.ts'
import { useName } from '../shell/texts.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { useTalk } from './use-talk.ts'

const newPlan = { en: 'New plan', zh: '新建计划' }
const newSession = { en: 'New plan session', zh: '新建计划会话' }

// a letter more is typed sooner than this
const pauseMs = 150

/** What the palette offers of plans: to make one, to begin a session that does, and those that the words are in. */
export function usePlanItems(query: string): { commands: PaletteItem[]; found: PaletteItem[] } {
  const nameOf = useName()
  const client = useClient()
  const scope = useScope()
  const goTo = useGoTo()
  const talk = useTalk()
  const asked = useDebounced(query, pauseMs)
  const { data } = useQuery({
    queryKey: planKeys.plans({ scope, palette: asked }),
    queryFn: () => client.plans.list({ scope, q: asked, limit: 6 }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const items = query === '' ? [] : (data?.items ?? [])
  return {
    commands: [
      {
        id: 'plan:new',
        label: nameOf(newPlan),
        icon: Plus,
        words: wordsOf(newPlan),
        perform: () => goTo('/plans', { form: 'new' }),
      },
      {
        id: 'plan:session',
        label: nameOf(newSession),
        icon: MessageSquarePlus,
        words: wordsOf(newSession),
        perform: talk,
      },
    ],
    found: items.map(({ id, title, description }) => ({
      id: `plan:${id}`,
      label: title,
      icon: ListTodo,
      words: description,
      perform: () => goTo(`/plans/${id}`),
    })),
  }
}
