import { defineWeb } from '../app/define-web.ts'
import { Sidebar } from './sidebar.tsx'

/** The list of sessions, and who is notified of their ends. */
export const sessions = defineWeb({
  id: 'sessions',
  Sidebar,
  keptSearch: ['list', 'find', 'archived'],
  notices: [{ load: async () => (await import('./notifier.tsx')).Notifier }],
})
