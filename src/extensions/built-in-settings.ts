import { documentSettings } from './documents/settings.ts'
import { mcpSettings } from './mcp/settings.ts'
import { memorySettings } from './memory/settings.ts'
import { planSettings } from './plan/settings.ts'
import { roomSettings } from './room/settings.ts'
import { terminalSettings } from './terminal/settings.ts'
import { webSettings } from './web/settings.ts'
import { webhookSettings } from './webhook/settings.ts'
import { workflowSettings } from './workflow/settings.ts'

/** The settings of the capabilities that come with Parley, in the order in which they are listed. */
export const builtInSettings = [
  workflowSettings,
  planSettings,
  roomSettings,
  documentSettings,
  memorySettings,
  webSettings,
  terminalSettings,
  mcpSettings,
  webhookSettings,
] as const
