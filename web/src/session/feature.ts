import { sessionQueries } from '../api/session-queries.ts'
import { defineWeb } from '../shell/define-web.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/': never
    '/sessions/$sessionId': never
  }
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whoever came to the session is writing. */
    isTyping?: boolean
  }
}

/** One session: what was said in it, and the box to say more. */
export const session = defineWeb({
  id: 'session',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    { path: '/', load: async () => (await import('./start/page.tsx')).Page },
    { path: '/sessions/$sessionId', load: async () => (await import('./page.tsx')).Page },
  ],
  // where a step begins, and what a reply was read from
  parts: { 'step-start': null, 'data-reply': null, 'data-reply-attempt': null },
  queries: sessionQueries,
})
