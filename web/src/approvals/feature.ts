import { ShieldCheck } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import { ApprovalsBadge } from './approvals-badge.tsx'
import { approvalQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/approvals': 'status'
  }
}

declare module '../api/events.ts' {
  interface EventData {
    'approval-requested': { approvalId: string; parentSessionId: string; toolName: string; action: string }
  }
}

/** Calls of tools that wait for somebody's yes or no. */
export const approvals = defineWeb({
  id: 'approvals',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/approvals',
      search: ['status'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name: { en: 'Approvals', zh: '待批准' }, icon: ShieldCheck, Badge: ApprovalsBadge },
    },
  ],
  queries: approvalQueries,
})
