import { ScrollText } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import { auditQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/audit':
      | 'session'
      | 'actor'
      | 'action'
      | 'resource'
      | 'touching'
      | 'decidedBy'
      | 'result'
      | 'from'
      | 'to'
  }
}

/** Who did what. */
export const audit = defineWeb({
  id: 'audit',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/audit',
      search: ['session', 'actor', 'action', 'resource', 'touching', 'decidedBy', 'result', 'from', 'to'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name: { en: 'Audit', zh: '审计' }, icon: ScrollText },
    },
  ],
  queries: auditQueries,
})
