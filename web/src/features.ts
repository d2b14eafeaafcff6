import type { WebFeature } from './shell/define-web.ts'
import { approvals } from './approvals/feature.ts'
import { audit } from './audit/feature.ts'
import { context } from './context/feature.ts'
import { crons } from './crons/feature.ts'
import { memory } from './memory/feature.ts'
import { parameters } from './parameters/feature.ts'
import { permissions } from './permissions/feature.ts'
import { plans } from './plans/feature.ts'
import { rooms } from './rooms/feature.ts'
import { session } from './session/feature.ts'
import { sessions } from './sessions/feature.ts'
import { settings } from './settings/feature.ts'
import { tasks } from './tasks/feature.ts'
import { usage } from './usage/feature.ts'
import { workflows } from './workflows/feature.ts'

/** All features, in the order in which the navigation and the tabs of the side panel show them. */
export const features: readonly WebFeature[] = [
  session,
  sessions,
  permissions,
  parameters,
  tasks,
  context,
  rooms,
  approvals,
  memory,
  crons,
  workflows,
  plans,
  usage,
  audit,
  settings,
]
