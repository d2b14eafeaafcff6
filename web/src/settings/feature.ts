import { Settings } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import { settingsQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/settings': 'section' | 'session'
  }
}

/** What holds for all sessions, and for this browser. */
export const settings = defineWeb({
  id: 'settings',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/settings',
      search: ['section', 'session'],
      load: async () => (await import('./page.tsx')).Page,
      nav: {
        name: { en: 'Settings', zh: '设置' },
        icon: Settings,
        action: { name: 'settings', keys: ['mod+.'] },
      },
    },
  ],
  settings: async () => (await import('./sections.ts')).sections,
  queries: settingsQueries,
})
