import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { History, Plus, Workflow } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import type { PaletteItem } from '../app/palette-items.ts'
import { useTexts } from '../app/texts.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { runTexts } from './runs/run-texts.ts'
import { useGoTo } from '../app/use-go-to.ts'
import { workflowTexts } from './workflow-texts.ts'

// a letter more is typed sooner than this
const pauseMs = 150

/** What the palette offers of workflows: to make one, to see what ran, and those that the words are in. */
export function useWorkflowItems(query: string): { commands: PaletteItem[]; found: PaletteItem[] } {
  const t = useTexts(workflowTexts)
  const { title: allRuns } = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const goTo = useGoTo()
  const asked = useDebounced(query, pauseMs)
  const { data } = useQuery({
    queryKey: keys.workflows({ scope, palette: asked }),
    queryFn: () => client.workflows.list({ scope, q: asked, limit: 6 }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const items = query === '' ? [] : (data?.items ?? [])
  return {
    commands: [
      {
        id: 'workflow:new',
        label: t.add,
        icon: Plus,
        words: `${workflowTexts.en.add} ${workflowTexts.zh.add}`,
        perform: () => goTo('/workflows', { form: 'new' }),
      },
      {
        id: 'workflow:runs',
        label: allRuns,
        icon: History,
        words: `${runTexts.en.title} ${runTexts.zh.title}`,
        perform: () => goTo('/workflow-runs'),
      },
    ],
    found: items.map(({ id, name, description }) => ({
      id: `workflow:${id}`,
      label: name,
      icon: Workflow,
      words: description,
      perform: () => goTo(`/workflows/${id}`),
    })),
  }
}
