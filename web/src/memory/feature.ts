import { BookMarked } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'
import { MessageMemories } from './message-memories.tsx'
import { memoryQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/memory': 'layer' | 'type' | 'status' | 'session' | 'q'
  }
}

const name = { en: 'Memory', zh: '记忆' }

/** What is learned from turns. */
export const memory = defineWeb({
  id: 'memory',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/memory',
      search: ['layer', 'type', 'status', 'session', 'q'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name, icon: BookMarked },
    },
  ],
  docks: [
    {
      name: 'memory',
      label: name,
      icon: BookMarked,
      load: async () => (await import('./memory-panel.tsx')).MemoryPanel,
    },
  ],
  messageNotes: [MessageMemories],
  queries: memoryQueries,
})
