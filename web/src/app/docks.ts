import { BookMarked, ListTodo, ListTree, ScanText, type LucideIcon } from 'lucide-react'
import { lazy, type ComponentType } from 'react'
import type { appTexts } from './app-texts.ts'

export type DockName = 'tasks' | 'context' | 'memory' | 'plan'

export interface Dock {
  name: DockName
  label: keyof (typeof appTexts)['en']['docks']
  icon: LucideIcon
  /** Gets the session that is open; none on other pages. */
  Panel: ComponentType<{ sessionId?: string }>
}

/** Every tab of the dock: a new one is a folder and a line here. */
export const docks: readonly Dock[] = [
  {
    name: 'tasks',
    label: 'tasks',
    icon: ListTree,
    Panel: lazy(async () => ({ default: (await import('../tasks/tasks-panel.tsx')).TasksPanel })),
  },
  {
    name: 'context',
    label: 'context',
    icon: ScanText,
    Panel: lazy(async () => ({ default: (await import('../context/context-panel.tsx')).ContextPanel })),
  },
  {
    name: 'memory',
    label: 'memory',
    icon: BookMarked,
    Panel: lazy(async () => ({ default: (await import('../memory/memory-panel.tsx')).MemoryPanel })),
  },
  {
    name: 'plan',
    label: 'plan',
    icon: ListTodo,
    Panel: lazy(async () => ({ default: (await import('../plans/session/plan-panel.tsx')).PlanPanel })),
  },
]
