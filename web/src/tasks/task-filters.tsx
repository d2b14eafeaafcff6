import { clsx } from 'clsx'
import { useTexts } from '../shell/texts.ts'
import { taskTexts } from './texts.ts'
import { taskStates, type TaskState } from './task-tree.ts'

interface Props {
  counts: Record<TaskState, number>
  /** More tasks than were loaded: the numbers are the least. */
  hasMore: boolean
  state?: TaskState
  onState(state: TaskState | undefined): void
  words: string
  onWords(words: string): void
}

const colours: Record<TaskState, string> = {
  running: 'text-[var(--run-running)]',
  waiting: 'text-[var(--run-queued)]',
  done: 'text-[var(--run-completed)]',
  degraded: 'text-[var(--run-degraded)]',
  failed: 'text-[var(--run-failed)]',
  stopped: 'text-[var(--run-cancelled)]',
}

/** How many there are of each kind; pressing one leaves only those. */
export function TaskFilters({ counts, hasMore, state, onState, words, onWords }: Props) {
  const t = useTexts(taskTexts)
  const shown = taskStates.filter((name) => counts[name] > 0 || name === 'running' || name === state)
  return (
    <>
      <div role="group" aria-label={t.filterLabel} className="flex flex-wrap gap-1">
        {shown.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={state === name}
            onClick={() => onState(state === name ? undefined : name)}
            className={clsx(
              'flex items-center gap-1 rounded-full border px-2 text-xs leading-6',
              state === name ? 'border-accent bg-selected' : 'border-line bg-raised hover:bg-hover',
            )}
          >
            {t.states[name]}
            <span className={clsx('font-semibold tabular-nums', colours[name])}>
              {counts[name]}
              {hasMore && '+'}
            </span>
          </button>
        ))}
      </div>
      <input
        type="search"
        aria-label={t.find}
        placeholder={t.find}
        value={words}
        onChange={({ target }) => onWords(target.value)}
        className="h-8 w-full rounded-md border border-line bg-page px-2.5 text-sm placeholder:text-muted"
      />
    </>
  )
}
