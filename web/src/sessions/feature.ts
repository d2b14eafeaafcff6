import { defineWeb } from '../shell/define-web.ts'
import { Sidebar } from './sidebar.tsx'

/** The list of sessions, and who is notified of their ends. */
export const sessions = defineWeb({
  id: 'sessions',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  Sidebar,
  keptSearch: ['list', 'find', 'archived'],
  notices: [{ load: async () => (await import('./notifier.tsx')).Notifier }],
})
