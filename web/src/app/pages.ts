import {
  BookMarked,
  ChartColumn,
  Clock,
  ListTodo,
  MessagesSquare,
  ScrollText,
  Settings,
  ShieldCheck,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { ApprovalsBadge } from '../approvals/approvals-badge.tsx'
import type { appTexts } from './app-texts.ts'

export interface Page {
  path: string
  /** Loaded when it is opened. */
  load(): Promise<{ Page: ComponentType }>
  /** Shown in the navigation. */
  link?: {
    label: keyof (typeof appTexts)['en']['pages']
    icon: LucideIcon
    /** Stands at the end of the line when there is something to say. */
    Badge?: ComponentType
  }
}

/** Every page of the workbench: a new one is a folder and a line here. */
export const pages: readonly Page[] = [
  { path: '/', load: () => import('../session/start/page.tsx') },
  { path: '/sessions/$sessionId', load: () => import('../session/page.tsx') },
  {
    path: '/rooms',
    load: () => import('../rooms/page.tsx'),
    link: { label: 'rooms', icon: MessagesSquare },
  },
  { path: '/agents', load: () => import('../rooms/agents/page.tsx') },
  {
    path: '/approvals',
    load: () => import('../approvals/page.tsx'),
    link: { label: 'approvals', icon: ShieldCheck, Badge: ApprovalsBadge },
  },
  {
    path: '/memory',
    load: () => import('../memory/page.tsx'),
    link: { label: 'memory', icon: BookMarked },
  },
  {
    path: '/crons',
    load: () => import('../crons/page.tsx'),
    link: { label: 'crons', icon: Clock },
  },
  {
    path: '/workflows',
    load: () => import('../workflows/page.tsx'),
    link: { label: 'workflows', icon: Workflow },
  },
  { path: '/workflows/$workflowId', load: () => import('../workflows/workflow-page.tsx') },
  { path: '/workflow-runs', load: () => import('../workflows/runs/page.tsx') },
  { path: '/workflow-runs/$runId', load: () => import('../workflows/runs/run-page.tsx') },
  {
    path: '/plans',
    load: () => import('../plans/page.tsx'),
    link: { label: 'plans', icon: ListTodo },
  },
  { path: '/plans/$planId', load: () => import('../plans/plan-page.tsx') },
  {
    path: '/usage',
    load: () => import('../usage/page.tsx'),
    link: { label: 'usage', icon: ChartColumn },
  },
  {
    path: '/audit',
    load: () => import('../audit/page.tsx'),
    link: { label: 'audit', icon: ScrollText },
  },
  {
    path: '/settings',
    load: () => import('../settings/page.tsx'),
    link: { label: 'settings', icon: Settings },
  },
]
