import { Clock } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import type { CronsSearch } from './crons-search.ts'
import { cronQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/crons': CronsSearch
  }
}

/** Schedules, and sessions that begin when something happens. */
export const crons = defineWeb({
  id: 'crons',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/crons',
      search: ['tab', 'cron', 'form'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name: { en: 'Schedules', zh: '定时任务' }, icon: Clock },
    },
  ],
  queries: cronQueries,
})
