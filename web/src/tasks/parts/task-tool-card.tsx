import { ChevronRight } from 'lucide-react'
import { memo, useState } from 'react'
import type { Part, TaskResult } from '../../../../src/client/index.ts'
import { useTexts } from '../../shell/texts.ts'
import { IconButton } from '../../ui/button.tsx'
import { sessionTexts } from '../../session/texts.ts'
import { toolNameOf } from '../../session/parts/part-groups.ts'
import { idOf, readTasks } from './read-tasks.ts'
import { TaskLine } from './task-line.tsx'
import { AskOf, stateOf } from '../../session/parts/tool-card.tsx'
import { ValueView } from '../../ui/value-view.tsx'

/** A call that starts tasks or looks at them: each with how it stands now, wherever it was when the call was made. */
export const TaskToolCard = memo(function TaskToolCard({ part }: { part: Part }) {
  const t = useTexts(sessionTexts)
  const [isOpen, setOpen] = useState(false)
  const state = stateOf(part)
  const tasks = readTasks(part)
  return (
    <div className="my-2 overflow-hidden rounded-lg border border-line bg-surface" data-tool-state={state}>
      <div className="flex items-center gap-1 pr-1 pl-3 text-xs text-muted">
        <span className="flex-1 font-mono">{toolNameOf(part)}</span>
        <span className={state === 'error' ? 'text-danger' : undefined}>
          {tasks.length > 1 ? t.taskList(tasks.length) : t.toolState[state]}
        </span>
        <IconButton size="small" label={t.arguments} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronRight className={isOpen ? 'rotate-90' : ''} />
        </IconButton>
      </div>
      {tasks.length === 0 && state === 'done' && (
        <p className="border-t border-line px-3 py-2 text-sm text-muted">{t.noTasks}</p>
      )}
      {tasks.length > 0 && (
        <div className="border-t border-line">
          {tasks.map((task, index) => (
            <TaskLine key={task.taskId ?? index} {...task} />
          ))}
        </div>
      )}
      {state === 'asks' && <AskOf part={part} />}
      {state === 'error' && <ValueView label={t.errorOutput} value={part.errorText} isError />}
      {isOpen && (
        <>
          <ValueView label={t.arguments} value={part.input ?? part.inputText} />
          {state === 'done' && <ValueView label={t.output} value={part.output} />}
        </>
      )}
    </div>
  )
})

/** What a task has sent to the conversation that started it. */
export const TaskResultCard = memo(function TaskResultCard({ part }: { part: Part }) {
  const result = part.data as TaskResult
  const t = useTexts(sessionTexts)
  // the card of the actions says how they went, and the words that follow what came of them
  if (result.label === 'actions')
    return (
      <details className="my-1 text-xs text-muted">
        <summary className="w-fit rounded hover:text-text">{t.actionsReported}</summary>
        <ValueView label={t.result} value={result.output} />
      </details>
    )
  return (
    <div className="my-2 overflow-hidden rounded-lg border border-line bg-surface">
      <p className="border-b border-line px-3 py-1 text-xs text-muted">{t.taskReported}</p>
      <TaskLine taskId={idOf(result.taskId)} label={result.label} status={result.status} />
      {result.error !== undefined && <ValueView label={t.errorOutput} value={result.error} isError />}
      {result.output && <ValueView label={t.result} value={result.output} />}
      {result.structuredData !== undefined && <ValueView label={t.data} value={result.structuredData} />}
    </div>
  )
})
