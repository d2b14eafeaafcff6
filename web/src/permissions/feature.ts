import { defineWeb } from '../shell/define-web.ts'
import { SessionMcp } from './session-mcp.tsx'
import { SessionMode } from './session-mode.tsx'

/** What a session may do without asking. */
export const permissions = defineWeb({
  id: 'permissions',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  composerTools: [SessionMode, SessionMcp],
})
