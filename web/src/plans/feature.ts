import { ListTodo } from 'lucide-react'
import type { NodeStatus } from './status.ts'
import { defineWeb } from '../shell/define-web.ts'
import { useTalk } from './use-talk.ts'
import { planQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/plans': 'q' | 'form'
    '/plans/$planId': 'view' | 'node' | 'form' | 'from' | 'status' | 'words'
  }
}

declare module '../api/events.ts' {
  interface EventData {
    'plan-node': { planId: string; nodeId: number; status: NodeStatus }
    'plan-run-finished': { runId: string; planId: string; type: string; status: string; summary: string }
  }
}

const name = { en: 'Plans', zh: '计划' }

/** Trees of work, and their runs. */
export const plans = defineWeb({
  id: 'plans',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/plans',
      search: ['q', 'form'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name, icon: ListTodo },
    },
    {
      path: '/plans/$planId',
      search: ['view', 'node', 'form', 'from', 'status', 'words'],
      load: async () => (await import('./plan-page.tsx')).Page,
    },
  ],
  docks: [
    {
      name: 'plan',
      label: { en: 'Plan', zh: '计划' },
      icon: ListTodo,
      load: async () => (await import('./session/plan-panel.tsx')).PlanPanel,
    },
  ],
  commands: {
    name,
    found: { en: 'Open a plan', zh: '打开计划' },
    load: async () => (await import('./use-plan-items.ts')).usePlanItems,
  },
  notices: [
    { events: ['plan-*'], load: async () => (await import('./runs/plan-run-notifier.tsx')).PlanRunNotifier },
  ],
  // of a run its end is told, and not that of each node
  ownsEndOf: ({ bgMeta }) => bgMeta?.source === 'plan',
  sessionBars: [
    {
      // it does a node of a plan, or is the session of a run of one
      appliesTo: ({ bgMeta, toolMeta }) => bgMeta?.source === 'plan' || toolMeta?.source === 'plan-run',
      load: async () => (await import('./session/plan-place-bar.tsx')).PlanPlaceBar,
    },
  ],
  composerBars: [
    {
      appliesTo: ({ planId, mode }) => planId !== undefined || mode === 'plan',
      load: async () => (await import('./session/plan-chip.tsx')).PlanChip,
    },
  ],
  sessionDialogs: [
    {
      name: 'plan',
      label: { en: 'Choose a plan…', zh: '选择计划……' },
      icon: ListTodo,
      appliesTo: ({ kind }) => kind === 'interactive',
      load: async () => (await import('./session/bind-plan.tsx')).BindPlan,
    },
  ],
  sessionStarts: [
    {
      name: 'plan',
      label: { en: 'New plan session', zh: '新建计划会话' },
      icon: ListTodo,
      useStart: useTalk,
    },
  ],
  parts: {
    'data-plan': async () => (await import('./session/plan-part.tsx')).PlanPart,
    // what was looked at before the answer
    'data-context': null,
  },
  queries: planQueries,
})
