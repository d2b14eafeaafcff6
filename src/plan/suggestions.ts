import type { NodeStatus } from '../store/queries/plans.ts'
import type { Step } from './step.ts'

export interface SuggestionFacts {
  isBound: boolean
  counts: Partial<Record<NodeStatus, number>>
  steps: readonly Step[]
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
    goOn: 'Go on with what is left',
  },
  zh: {
    create: '创建一个计划',
    list: '有哪些计划？',
    decompose: '把计划拆分成任务',
    execute: '执行计划',
    show: '显示任务',
    results: '总结结果',
    rerun: (id: number) => `重新执行任务 ${id}`,
    goOn: '继续执行剩下的任务',
  },
}

/** What one might want to say next, from what is stored alone. */
export function suggest({ isBound, counts, steps, language = 'en' }: SuggestionFacts): string[] {
  const say = texts[language]
  if (!isBound) return [say.create, say.list]
  const { pending = 0, failed = 0, blocked = 0, completed = 0 } = counts
  const nodes = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (nodes === 0) return [say.decompose, say.show]
  const failedIds = steps.flatMap(({ details, status }) => {
    const id = details.action?.parameters.task_id
    return status === 'failed' && typeof id === 'number' ? [id] : []
  })
  return [
    ...failedIds.slice(0, 1).map(say.rerun),
    ...(pending + blocked > 0 ? [completed > 0 || failed > 0 ? say.goOn : say.execute] : []),
    ...(completed > 0 ? [say.results] : []),
    say.show,
  ].slice(0, 3)
}

/** What somebody writes tells what they read. */
export const languageOf = (text: string): 'en' | 'zh' => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en')
