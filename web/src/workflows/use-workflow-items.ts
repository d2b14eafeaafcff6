import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { History, Plus, Workflow } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { wordsOf, type PaletteItem } from '../shell/palette-items.ts'
import { useName } from '../shell/texts.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { useGoTo } from '../shell/use-go-to.ts'

const newWorkflow = { en: 'New workflow', zh: '新建工作流' }
const allRuns = { en: 'Workflow runs', zh: '工作流运行' }

// a letter more is typed sooner than this
const pauseMs = 150

/** What the palette offers of workflows: to make one, to see what ran, and those that the words are in. */
export function useWorkflowItems(query: string): { commands: PaletteItem[]; found: PaletteItem[] } {
  const nameOf = useName()
  const client = useClient()
  const scope = useScope()
  const goTo = useGoTo()
  const asked = useDebounced(query, pauseMs)
  const { data } = useQuery({
    queryKey: workflowKeys.workflows({ scope, palette: asked }),
    queryFn: () => client.workflows.list({ scope, q: asked, limit: 6 }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const items = query === '' ? [] : (data?.items ?? [])
  return {
    commands: [
      {
        id: 'workflow:new',
        label: nameOf(newWorkflow),
        icon: Plus,
        words: wordsOf(newWorkflow),
        perform: () => goTo('/workflows', { form: 'new' }),
      },
      {
        id: 'workflow:runs',
        label: nameOf(allRuns),
        icon: History,
        words: wordsOf(allRuns),
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
