import type { Logger } from 'pino'
import { z } from 'zod'
import { chatLimitOptions } from '../core/chat/turn-limits.ts'
import type { ModelAdapter } from '../core/models/adapter.ts'
import { modelOptions } from '../core/models/model-options.ts'
import { isAdapter } from '../core/models/program-adapter.ts'
import { invalidRequest, quote } from '../core/protocol/error.ts'
import {
  callable,
  checkOptions,
  choice,
  filledText,
  flag,
  objectWith,
  optionGroup,
  positiveCount,
  text,
} from '../core/protocol/options.ts'
import { joinFacets } from '../core/protocol/joined-facets.ts'
import { parameterSettingsSchema } from '../core/protocol/parameters.ts'
import { permissionModes, permissionRuleSchema } from '../core/protocol/permission.ts'
import { windowModes, type WindowSettings } from '../core/protocol/window.ts'
import { checkHandlers, type WindowHandlers } from '../core/sessions/window/window-handlers.ts'
import { checkSettings } from '../core/sessions/window/window-settings.ts'
import { readProgramTools } from '../core/tools/program-tools.ts'
import { useToolName } from '../core/tools/call-through.ts'
import type { Tool, ToolDefinition } from '../core/tools/tool.ts'
import type { AgentPermissions } from './agent-permissions.ts'
import type { AgentOptions, AskOptions } from './agent-options.ts'

/** Checked options: the tools are ready to use. */
export type CheckedAgentOptions = Omit<AgentOptions, 'tools'> & { tools?: readonly Tool[] }

export function readAgentOptions(options: AgentOptions): CheckedAgentOptions {
  checkOptions('createAgent', agentOptions, options, ['models'])
  if (options.session) checkSettings(options.session)
  if (options.handlers) checkHandlers(options.handlers)
  const { tools, ...others } = options
  if (!tools) return others
  const read = readProgramTools('createAgent', tools, options.parley?.store.facets ?? joinFacets([]), [
    useToolName,
  ])
  const awaited = read.find(({ isAwaited }) => isAwaited)
  if (awaited)
    throw invalidRequest(
      `createAgent: the tool ${quote(awaited.name)} has no execute; only tools of createParley can be answered from outside.`,
    )
  return { ...others, tools: read }
}

const agentOptions = optionGroup<AgentOptions>({
  model: z.custom<string | ModelAdapter>((value) => typeof value === 'string' || isAdapter(value), {
    error: 'must be the name of a model, as adapter/model, or an adapter with id and stream',
  }),
  instructions: text,
  parameters: parameterSettingsSchema,
  tools: z.array(z.custom<ToolDefinition>(), { error: 'must be a list of tools' }),
  permissions: optionGroup<AgentPermissions>({
    mode: choice(...permissionModes),
    rules: z.array(permissionRuleSchema, { error: 'must be a list of rules' }),
    root: filledText,
    onAsk: callable,
    timeoutMs: positiveCount,
  }),
  models: modelOptions,
  parley: z.custom<NonNullable<AgentOptions['parley']>>(
    (value) => typeof value === 'object' && value !== null && 'store' in value,
    { error: 'must be a Parley, as createParley gives it' },
  ),
  scope: text,
  session: objectWith<WindowSettings>('an object of window settings'),
  handlers: objectWith<WindowHandlers>('an object of functions'),
  limits: chatLimitOptions,
  logger: objectWith<Logger>('a logger of pino', 'warn', 'error'),
})

/** Options of the calls of an agent; errors name the call. */
export const checkAsk = (options: AskOptions): void => checkOptions('ask', askOptions, options)
const askOptions = optionGroup<AskOptions>({
  model: text,
  parameters: parameterSettingsSchema,
  window: objectWith<WindowSettings>('an object of window settings'),
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, { error: 'must be an AbortSignal' }),
})

export const checkAttach = (options: { mode?: 'lite' | 'memo' }): void =>
  checkOptions('attachSession', attachOptions, options)
const attachOptions = optionGroup<{ mode?: 'lite' | 'memo' }>({ mode: choice(...windowModes) })

export const checkReset = (options: { keepMemo?: boolean }): void =>
  checkOptions('resetChatHistory', resetOptions, options)
const resetOptions = optionGroup<{ keepMemo?: boolean }>({ keepMemo: flag })

export function checkRecordHandler(handler: unknown, bounds: { timeoutMs?: number }): void {
  if (handler !== undefined && typeof handler !== 'function')
    throw invalidRequest('setRecordHandler: the handler must be a function.')
  checkOptions('setRecordHandler', recordBounds, bounds)
}
const recordBounds = optionGroup<{ timeoutMs?: number }>({ timeoutMs: positiveCount })
