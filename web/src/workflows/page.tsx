import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { History, Plus } from 'lucide-react'
import { useState } from 'react'
import type { WorkflowSummary } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { SearchedList } from '../ui/searched-list.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { NewWorkflow } from './new-workflow.tsx'
import { RunForm } from './run-form.tsx'
import { WorkflowLink } from './workflow-link.tsx'
import { WorkflowRow } from './workflow-row.tsx'
import { workflowTexts } from './texts.ts'

/** In the URL: the words that are searched, and `form`: `new`, or the id of what is about to be run. */
type Search = 'q' | 'form'

const pageSize = 50

/** All workflows of the scope. */
export function Page() {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const [{ q, form }, setSearch] = useSearchState<Search>()
  const [deleted, setDeleted] = useState<WorkflowSummary>()
  const query = useInfiniteQuery({
    queryKey: workflowKeys.workflows({ scope, q }),
    queryFn: ({ pageParam }) =>
      client.workflows.list({ scope, q: q || undefined, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const workflows = query.data?.pages.flatMap(({ items }) => items) ?? []
  const begun = workflows.find(({ id }) => id === form)
  const closeForm = () => setSearch({ form: undefined })
  return (
    <PageFrame
      title={t.title}
      actions={
        <>
          <WorkflowLink
            to="/workflow-runs"
            className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-sm font-medium hover:bg-hover"
          >
            <History aria-hidden className="size-4" />
            <span className="max-sm:sr-only">{t.allRuns}</span>
          </WorkflowLink>
          <Button variant="primary" size="small" onClick={() => setSearch({ form: 'new' })}>
            <Plus aria-hidden />
            {t.add}
          </Button>
        </>
      }
    >
      <SearchedList
        texts={t}
        words={q}
        query={query}
        rows={workflows.map((workflow) => (
          <WorkflowRow
            key={workflow.id}
            workflow={workflow}
            onRun={() => setSearch({ form: workflow.id })}
            onDelete={() => setDeleted(workflow)}
          />
        ))}
        onSearch={(words) => setSearch({ q: words }, { replace: true })}
        onAdd={() => setSearch({ form: 'new' })}
      />
      {form === 'new' && <NewWorkflow onClose={closeForm} />}
      {begun && <RunForm workflow={begun} onClose={closeForm} />}
      {deleted && <DeleteWorkflow workflow={deleted} onClose={() => setDeleted(undefined)} />}
    </PageFrame>
  )
}
