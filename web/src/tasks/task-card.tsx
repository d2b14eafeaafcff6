import { Link } from '@tanstack/react-router'
import { CircleStop, RotateCw } from 'lucide-react'
import { appTexts } from '../shell/shell-texts.ts'
import { dockBesideQuery } from '../shell/overlays.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { SessionStatus } from '../sessions/session-status.tsx'
import { IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { TaskTime, TaskTokens } from './task-facts.tsx'
import { TaskGrade } from './task-grade.tsx'
import { TaskParent } from './task-parent.tsx'
import { taskTexts } from './texts.ts'
import { isOver, parentOf, taskTitle, type Task } from './task-tree.ts'
import { useActivity } from './use-activity.ts'

interface Props {
  task: Task
  depth: number
  /** The session whose tasks are shown; who started them needs no word then. */
  sessionId?: string
  onCancel(): void
  onRetry(): void
}

/** One task: how it stands, what it does or what became of it. Drawn only while it is seen, and asks only then. */
export function TaskCard({ task, depth, sessionId, onCancel, onRetry }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(taskTexts)
  const { untitled } = useTexts(appTexts)
  const isOverNow = isOver(task)
  const title = taskTitle(task) || untitled
  const parent = parentOf(task)
  // where the panel lies over the page, what is opened would not be seen
  const isBeside = useMediaQuery(dockBesideQuery)
  return (
    <article
      aria-label={title}
      className="rounded-lg border border-line bg-raised px-2.5 py-1.5 text-sm"
      // deeper levels would leave no room for the words
      style={{ marginInlineStart: Math.min(depth, 5) * 14 }}
    >
      <div className="flex items-start gap-2">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: task.id }}
          search={isBeside ? keepSearch() : keepSearch({ dock: undefined })}
          className="min-w-0 flex-1 truncate rounded py-0.5 font-medium hover:underline"
          title={title}
        >
          <bdi>{title}</bdi>
        </Link>
        <span className="flex h-6 items-center">
          <SessionStatus session={{ ...task, chatStatus: 'idle' }} />
        </span>
      </div>
      <div className="flex min-h-7 items-center gap-2 text-xs text-muted">
        <TaskTime task={task} />
        <TaskTokens taskId={task.id} />
        {depth === 0 && parent !== undefined && parent !== sessionId && (
          <span className="min-w-0 truncate">
            {t.from} <TaskParent sessionId={parent} />
          </span>
        )}
        <span className="ml-auto flex shrink-0">
          {task.bgResult && <CopyButton text={task.bgResult} label={t.copyResult(title)} />}
          {isOverNow ? (
            <IconButton size="small" label={t.retry(title)} onClick={onRetry}>
              <RotateCw />
            </IconButton>
          ) : (
            <IconButton size="small" label={t.cancelNamed(title)} onClick={onCancel}>
              <CircleStop />
            </IconButton>
          )}
        </span>
      </div>
      {isOverNow ? <TaskGrade task={task} /> : <TaskActivity task={task} />}
    </article>
  )
}

function TaskActivity({ task }: { task: Task }) {
  const t = useTexts(taskTexts)
  const { tool, words } = useActivity(task.id, task.bgStatus === 'running')
  return (
    // has its place before there is anything to say, so that nothing moves
    <p className="h-5 truncate text-xs text-muted">
      <bdi>{tool === undefined ? words : t.usesTool(tool)}</bdi>
    </p>
  )
}
