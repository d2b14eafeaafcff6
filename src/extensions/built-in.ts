import type { Extension } from '../core/extension.ts'
import agents from './agents/manifest.ts'
import anthropic from './anthropic/manifest.ts'
import documents from './documents/manifest.ts'
import files from './files/manifest.ts'
import knowledge from './knowledge/manifest.ts'
import mcp from './mcp/manifest.ts'
import memory from './memory/manifest.ts'
import openai from './openai/manifest.ts'
import plan from './plan/manifest.ts'
import room from './room/manifest.ts'
import schedule from './schedule/manifest.ts'
import terminal from './terminal/manifest.ts'
import web from './web/manifest.ts'
import webhook from './webhook/manifest.ts'
import workflow from './workflow/manifest.ts'

/** What comes with Parley, in the order in which it is joined: an extension stands after those that it needs. */
export const builtIn = [
  agents,
  documents,
  files,
  terminal,
  web,
  memory,
  knowledge,
  schedule,
  webhook,
  workflow,
  plan,
  room,
  openai,
  anthropic,
  mcp,
] as const

/** Their settings, which the command line reads before it loads anything that runs. */
export const builtInSettings = builtIn.flatMap((one) => ('settings' in one ? [one.settings] : []))

export const loadBuiltIn = (): Promise<Extension[]> => Promise.all(builtIn.map((one) => one.load()))
