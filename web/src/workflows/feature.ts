import { Workflow } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import { isProposal } from './proposal.ts'
import { pathOfPlace, placeOf } from './session-place.ts'
import { workflowQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/workflows': 'q' | 'form'
    '/workflows/$workflowId': 'tab' | 'form' | 'steps' | 'shown' | 'from' | 'to'
    '/workflow-runs': 'workflow' | 'status'
    '/workflow-runs/$runId': 'form' | 'steps'
  }
}

const name = { en: 'Workflows', zh: '工作流' }

/** Definitions of workflows, and their runs. */
export const workflows = defineWeb({
  id: 'workflows',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/workflows',
      search: ['q', 'form'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name, icon: Workflow },
    },
    {
      path: '/workflows/$workflowId',
      search: ['tab', 'form', 'steps', 'shown', 'from', 'to'],
      load: async () => (await import('./workflow-page.tsx')).Page,
    },
    {
      path: '/workflow-runs',
      search: ['workflow', 'status'],
      load: async () => (await import('./runs/page.tsx')).Page,
    },
    {
      path: '/workflow-runs/$runId',
      search: ['form', 'steps'],
      load: async () => (await import('./runs/run-page.tsx')).Page,
    },
  ],
  commands: {
    name,
    found: { en: 'Open a workflow', zh: '打开工作流' },
    load: async () => (await import('./use-workflow-items.ts')).useWorkflowItems,
  },
  notices: [
    {
      events: ['workflow-*', 'notification'],
      load: async () => (await import('./run-notifier.tsx')).RunNotifier,
    },
  ],
  // a question of a workflow is told of as such
  ownsAsk: ({ toolName, action }) => toolName === 'workflow' && action === 'approve',
  // of a run its end is told, and not that of each step
  ownsEndOf: ({ bgMeta }) => bgMeta?.source === 'workflow',
  sessionBars: [
    {
      appliesTo: (session) => placeOf(session) !== undefined,
      load: async () => (await import('./session-place-bar.tsx')).SessionPlaceBar,
    },
  ],
  sessionPlace(session) {
    const place = placeOf(session)
    const path = place && pathOfPlace(place)
    return path && { path, icon: Workflow }
  },
  sessionGroups: [
    {
      of(session) {
        const place = placeOf(session)
        return place?.kind === 'step' ? { id: place.runId, name: place.name } : undefined
      },
      load: async () => (await import('./run-sessions-row.tsx')).RunSessionsRow,
    },
  ],
  asks: [
    {
      appliesTo: (approval) => approval.status === 'pending' && isProposal(approval),
      load: async () => (await import('./proposed-workflow.tsx')).ProposedWorkflow,
    },
    {
      appliesTo: ({ kind }) => kind === 'question',
      load: async () => (await import('./asked-run-link.tsx')).AskedRunLink,
    },
  ],
  queries: workflowQueries,
})
