import { ChartColumn } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import { usageQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/usage': 'days' | 'from' | 'to' | 'metric' | 'by'
  }
}

/** Tokens and what they cost. */
export const usage = defineWeb({
  id: 'usage',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/usage',
      search: ['days', 'from', 'to', 'metric', 'by'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name: { en: 'Usage', zh: '用量' }, icon: ChartColumn },
    },
  ],
  queries: usageQueries,
})
