import { ListTree } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'

const loadCard = async () => (await import('./parts/task-tool-card.tsx')).TaskToolCard

/** Background tasks. */
export const tasks = defineWeb({
  id: 'tasks',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  docks: [
    {
      name: 'tasks',
      label: { en: 'Tasks', zh: '任务' },
      icon: ListTree,
      load: async () => (await import('./tasks-panel.tsx')).TasksPanel,
    },
  ],
  keptSearch: ['tasks', 'taskState', 'taskFind'],
  parts: { 'data-task-result': async () => (await import('./parts/task-tool-card.tsx')).TaskResultCard },
  tools: { spawn_task: loadCard, task_status: loadCard },
})
