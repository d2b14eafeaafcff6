import type { NodeStatus } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { undoneStatuses } from './plan-step.ts'

export interface SuggestionFacts {
  isBound: boolean
  counts: Partial<Record<NodeStatus, number>>
  /** A task that was done and is not done: it is there. */
  undoneId?: number
  language?: 'en' | 'zh'
}

const texts = {
  en: {
    create: 'Create a plan',
    list: 'Which plans are there?',
    decompose: 'Break the plan down into tasks',
    execute: 'Execute the plan',
    show: 'Show the tasks',
    results: 'Sum up the results',
    rerun: (id: number) => `Run task ${id} again`,
    resume: 'Go on with what is left',
  },
  zh: {
    create: '创建一个计划',
    list: '有哪些计划？',
    decompose: '把计划拆分成任务',
    execute: '执行计划',
    show: '显示任务',
    results: '总结结果',
    rerun: (id: number) => `重新执行任务 ${id}`,
    resume: '继续执行剩下的任务',
  },
}

/** What is known of a plan that suggestions are made of. */
export async function readSuggestionFacts(
  store: StoreOperations,
  planId: string | undefined,
): Promise<Omit<SuggestionFacts, 'language'>> {
  if (planId === undefined) return { isBound: false, counts: {} }
  const counts = await store.countNodes(planId)
  const hasUndone = undoneStatuses.some((status) => counts[status])
  const undoneId = hasUndone ? await store.findNodeWith(planId, undoneStatuses) : undefined
  return { isBound: true, counts, undoneId }
}

/** Suggestions for the next message, from stored data alone. */
export function suggest({ isBound, counts, undoneId, language = 'en' }: SuggestionFacts): string[] {
  const say = texts[language]
  if (!isBound) return [say.create, say.list]
  const { pending = 0, blocked = 0, completed = 0, partial = 0, refused = 0, failed = 0 } = counts
  const undone = partial + refused + failed
  const nodes = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (nodes === 0) return [say.decompose, say.show]
  return [
    ...(undoneId === undefined ? [] : [say.rerun(undoneId)]),
    ...(pending + blocked > 0 ? [completed + undone > 0 ? say.resume : say.execute] : []),
    ...(completed > 0 ? [say.results] : []),
    say.show,
  ].slice(0, 3)
}

/** The language of a message is that of its suggestions. */
export const languageOf = (text: string): 'en' | 'zh' => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en')
