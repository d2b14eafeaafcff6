import { SlidersHorizontal } from 'lucide-react'
import { defineWeb } from '../shell/define-web.ts'

/** What a session tells its models beside the conversation. */
export const parameters = defineWeb({
  id: 'parameters',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  sessionDialogs: [
    {
      name: 'settings',
      label: { en: 'Session settings…', zh: '会话设置……' },
      icon: SlidersHorizontal,
      appliesTo: ({ kind }) => kind !== 'tool',
      load: async () => (await import('./session-settings.tsx')).SessionSettings,
    },
  ],
})
