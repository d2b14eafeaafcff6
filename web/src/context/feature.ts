import { ScanText } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'

declare module '../shell/shell-search.ts' {
  interface ShellSearch {
    /** What is looked at, which model call, and which one it is compared with. */
    view?: string
    run?: string
    step?: number
    base?: string
  }
}

/** What the model of a session is sent. */
export const context = defineWeb({
  id: 'context',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  docks: [
    {
      name: 'context',
      label: { en: 'Context', zh: '上下文' },
      icon: ScanText,
      load: async () => (await import('./context-panel.tsx')).ContextPanel,
      search: { view: 'text', run: 'text', step: 'count', base: 'text' },
    },
  ],
})
