import { ToggleGroup } from '@base-ui/react/toggle-group'
import { Toggle } from '@base-ui/react/toggle'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useClient } from '../api/api.tsx'
import { sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { TaskFilters } from './task-filters.tsx'
import { TaskList } from './task-list.tsx'
import { TaskParent } from './task-parent.tsx'
import { taskTexts } from './texts.ts'
import {
  countStates,
  matchesFilter,
  parentOf,
  taskStates,
  taskTitle,
  toLines,
  type Task,
} from './task-tree.ts'
import { useTaskDeeds } from './use-task-deeds.ts'
import { useTasks } from './use-tasks.ts'

/** Tasks of the session that is open, or of all; which ones is in the URL. */
export function TasksPanel({ sessionId }: { sessionId?: string }) {
  const t = useTexts(taskTexts)
  const [search, setSearch] = useSearchState<'tasks' | 'taskState' | 'taskFind'>()
  const shownOf = search.tasks === 'all' ? undefined : sessionId
  const { tasks, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useTasks(shownOf)
  const state = taskStates.find((name) => name === search.taskState)
  const words = search.taskFind ?? ''
  const lines = useMemo(
    () => toLines((tasks ?? []).filter((task) => matchesFilter(task, { state, words }))),
    [tasks, state, words],
  )
  const deeds = useTaskDeeds()
  const [cancelling, setCancelling] = useState<Task>()
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
        {sessionId !== undefined && (
          <>
            <OwnParent sessionId={sessionId} />
            <Whose
              isAll={shownOf === undefined}
              onChange={(isAll) => setSearch({ tasks: isAll ? 'all' : undefined })}
            />
          </>
        )}
        <TaskFilters
          counts={countStates(tasks ?? [])}
          hasMore={hasNextPage && shownOf === undefined}
          state={state}
          onState={(next) => setSearch({ taskState: next })}
          words={words}
          onWords={(next) => setSearch({ taskFind: next || undefined }, { replace: true })}
        />
      </div>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : tasks === undefined ? (
        <Loading />
      ) : lines.length === 0 ? (
        <Empty>
          <p className="text-sm">
            {tasks.length > 0 ? t.noneMatch : shownOf === undefined ? t.none : t.noneHere}
          </p>
          {tasks.length === 0 && shownOf !== undefined && (
            <Button size="small" onClick={() => setSearch({ tasks: 'all' })}>
              {t.showAll}
            </Button>
          )}
        </Empty>
      ) : (
        <TaskList
          lines={lines}
          sessionId={shownOf}
          onCancel={setCancelling}
          onRetry={(task) => void deeds.retry(task)}
          more={
            hasNextPage && (
              <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {t.more}
              </Button>
            )
          }
        />
      )}
      {cancelling && (
        <ConfirmDialog
          title={t.cancelTitle(taskTitle(cancelling))}
          label={t.cancel}
          onClose={() => setCancelling(undefined)}
          onConfirm={() => {
            setCancelling(undefined)
            void deeds.cancel(cancelling)
          }}
        >
          <p>{t.cancelText}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** The way back, where the session that is open is a task itself. */
function OwnParent({ sessionId }: { sessionId: string }) {
  const t = useTexts(taskTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({ ...sessionQuery(client, sessionId, scope), retry: false })
  const parent = data && parentOf(data)
  if (parent === undefined) return null
  return (
    <p className="truncate text-sm text-muted">
      {t.thisIsTask} <TaskParent sessionId={parent} />
    </p>
  )
}

interface WhoseProps {
  isAll: boolean
  onChange(isAll: boolean): void
}

function Whose({ isAll, onChange }: WhoseProps) {
  const t = useTexts(taskTexts)
  const style =
    'min-w-0 flex-1 truncate rounded px-2 py-0.5 text-center text-sm text-muted data-pressed:bg-selected data-pressed:text-text'
  return (
    <ToggleGroup
      aria-label={t.which}
      value={[isAll ? 'all' : 'own']}
      // pressing the one that is on changes nothing
      onValueChange={([next]) => next !== undefined && onChange(next === 'all')}
      className="flex gap-0.5 rounded-md border border-line bg-page p-0.5"
    >
      <Toggle value="own" className={style}>
        {t.ofSession}
      </Toggle>
      <Toggle value="all" className={style}>
        {t.all}
      </Toggle>
    </ToggleGroup>
  )
}
