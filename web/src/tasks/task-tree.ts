import type { SessionListItem } from '../../../src/client/index.ts'

export type Task = SessionListItem

export const taskStates = ['running', 'waiting', 'done', 'degraded', 'failed', 'stopped'] as const
export type TaskState = (typeof taskStates)[number]

/** What a person tells tasks apart by; the exact status is on the card. */
export function taskState({ bgStatus, bgDegraded }: Pick<Task, 'bgStatus' | 'bgDegraded'>): TaskState {
  switch (bgStatus) {
    case 'running':
      return 'running'
    case 'completed':
      return bgDegraded ? 'degraded' : 'done'
    case 'failed':
    case 'timeout':
    case 'interrupted':
      return 'failed'
    case 'cancelled':
      return 'stopped'
    default:
      return 'waiting'
  }
}

export const isOver = (task: Pick<Task, 'bgStatus'>) => !['running', 'waiting'].includes(taskState(task))

export const taskTitle = ({ bgMeta, title }: Pick<Task, 'bgMeta' | 'title'>) => bgMeta?.label || title

export const parentOf = ({ parentId, bgMeta }: Pick<Task, 'parentId' | 'bgMeta'>) =>
  parentId ?? bgMeta?.parentSessionId

export function countStates(tasks: readonly Task[]): Record<TaskState, number> {
  const counts = { running: 0, waiting: 0, done: 0, degraded: 0, failed: 0, stopped: 0 }
  for (const task of tasks) counts[taskState(task)]++
  return counts
}

/** The tasks of a session, those that they started included. */
export function tasksBelow(tasks: readonly Task[], sessionId: string): Task[] {
  const below = new Set([sessionId])
  // each round finds one level more; as many rounds as there are levels
  for (let before = 0; before !== below.size;) {
    before = below.size
    for (const task of tasks) if (below.has(parentOf(task) ?? '')) below.add(task.id)
  }
  return tasks.filter(({ id }) => id !== sessionId && below.has(id))
}

export interface TaskFilter {
  state?: TaskState
  words: string
}

export function matchesFilter(task: Task, { state, words }: TaskFilter): boolean {
  if (state !== undefined && taskState(task) !== state) return false
  const text = `${task.title} ${task.bgMeta?.label ?? ''}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export interface TaskLine {
  task: Task
  /** Levels below the first. */
  depth: number
}

/** Newest first, each followed by those it started; one whose parent is not among them stands at the edge. */
export function toLines(tasks: readonly Task[]): TaskLine[] {
  const sorted = tasks.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
  const ids = new Set(sorted.map(({ id }) => id))
  const byParent = new Map<string | undefined, Task[]>()
  for (const task of sorted) {
    const parent = parentOf(task)
    const place = parent !== undefined && parent !== task.id && ids.has(parent) ? parent : undefined
    byParent.set(place, [...(byParent.get(place) ?? []), task])
  }
  const lines: TaskLine[] = []
  const add = (parent: string | undefined, depth: number) => {
    for (const task of byParent.get(parent) ?? []) {
      lines.push({ task, depth })
      add(task.id, depth + 1)
    }
  }
  add(undefined, 0)
  return lines
}

/** `4 s`, `3:07 min`, `1:02:09 h`: what ticks keeps its width. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (value: number) => String(value).padStart(2, '0')
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${two(seconds % 60)} min`
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)} h`
}
