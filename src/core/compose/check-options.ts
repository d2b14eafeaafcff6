import type { Logger } from 'pino'
import { z } from 'zod'
import type { Permissions } from '../approvals/authority.ts'
import type { ApprovalLimits } from '../approvals/authorize-or-ask.ts'
import type { BackgroundLimits } from '../tasks/task-limits.ts'
import { fragmentsOption } from '../chat/program-fragments.ts'
import { chatLimitOptions } from '../chat/turn-limits.ts'
import type { TrustedFolders } from '../files/trusted-folders.ts'
import { toolHookEvents, type CommandHook, type Hook, type HookEvent } from '../hooks/hook.ts'
import { modelOptions } from '../models/model-options.ts'
import { scopeSchema } from '../protocol/names.ts'
import {
  amount,
  anyNumber,
  callable,
  checkOptions,
  choice,
  count,
  filledText,
  flag,
  objectWith,
  oneByOne,
  optionGroup,
  type OptionSchemas,
  positiveCount,
  requiredGroup,
  textList,
} from '../protocol/options.ts'
import { joinFacets, type JoinedFacets } from '../protocol/joined-facets.ts'
import { parameterSettingsSchema } from '../protocol/parameters.ts'
import { permissionModes, type GroupSwitches } from '../protocol/permission.ts'
import type { WindowSettings } from '../protocol/window.ts'
import type { Price } from '../runs/budget.ts'
import type { ImportLimits } from '../protocol/import-limits.ts'
import { checkHandlers, type WindowHandlers } from '../sessions/window/window-handlers.ts'
import { checkSettings } from '../sessions/window/window-settings.ts'
import type { Clock } from '../shared/clock.ts'
import { readProgramTools } from '../tools/program-tools.ts'
import type { Tool, ToolDefinition } from '../tools/tool.ts'
import type { Extension } from '../extension.ts'
import { joinHookEvents } from './extensions.ts'
import { coreToolNames } from './core-tools.ts'
import { ofParley, requireDistinct, type Owned } from './distinct-names.ts'
import type { ExtensionOptions, ParleyOptions } from './options.ts'

/** Checked options: the tools are ready to be used. */
export type CheckedOptions = Omit<ParleyOptions, 'tools'> & { tools?: readonly Tool[] }

/** Keys, or programs and addresses that are given some: nothing under them is repeated in a message. */
const secretOptions = ['databaseUrl', 'models', 'hooks']

const keptDays = optionGroup<{ keptDays: number }>({ keptDays: amount })

const has = (value: unknown, key: string) => typeof value === 'object' && value !== null && key in value

function hookList(events: readonly string[]): z.ZodType<readonly (Hook | CommandHook)[]> {
  const shape = {
    event: choice(...(events as HookEvent[])),
    id: filledText,
    priority: anyNumber,
    timeoutMs: positiveCount,
    tool: filledText,
    onFailure: choice('allow', 'deny'),
  }
  const functionHook = requiredGroup<Omit<CommandHook, 'command'> & { run: Hook['run'] }>(
    { ...shape, run: callable },
    ['event', 'run'],
  )
  const commandHook = requiredGroup<CommandHook>(
    { ...shape, command: textList.refine(([program]) => !!program, 'must be a program and its arguments') },
    ['event', 'command'],
  )
  return z.array(
    oneByOne<Hook | CommandHook>((hook) => (has(hook, 'command') ? commandHook : functionHook)),
    { error: 'must be a list of hooks' },
  )
}

/** Every option of the core; the compiler refuses one that is missing here, and one too many. */
const coreOptions: OptionSchemas<Omit<ParleyOptions, keyof ExtensionOptions>> = {
  dataDir: filledText,
  databaseUrl: filledText,
  sqlite: optionGroup<NonNullable<ParleyOptions['sqlite']>>({
    synchronous: choice('FULL', 'NORMAL'),
    busyTimeoutMs: count,
  }),
  postgres: optionGroup<NonNullable<ParleyOptions['postgres']>>({
    poolSize: positiveCount,
    connectTimeoutMs: count,
    preparedStatements: flag,
  }),
  mirrorDir: filledText,
  limits: optionGroup<NonNullable<ParleyOptions['limits']>>({ pageSize: positiveCount }),
  imports: optionGroup<ImportLimits>({
    fileBytes: positiveCount,
    unpackedBytes: positiveCount,
    entries: positiveCount,
    conversationBytes: positiveCount,
    assetBytes: positiveCount,
    branches: positiveCount,
    messages: positiveCount,
    values: positiveCount,
    depth: positiveCount,
    heapMb: positiveCount,
  }),
  takesUpRuns: flag,
  shutdownMs: count,
  scopes: z.record(scopeSchema, requiredGroup<{ root: string }>({ root: filledText }, ['root']), {
    error: 'must be an object of folders by the name of their scope',
  }),
  trust: objectWith<TrustedFolders>('the trusted folders that openTrustedFolders gives', 'has'),
  models: modelOptions,
  tools: z.array(z.custom<ToolDefinition>(), { error: 'must be a list of tools' }),
  fragments: fragmentsOption,
  ...rightsOptions(joinFacets([])),
  hooks: hookList(Object.keys(toolHookEvents)),
  hookTimeoutMs: positiveCount,
  onApproval: callable,
  approvals: optionGroup<ApprovalLimits>({ timeoutMs: count, fallback: choice('allow', 'deny') }),
  chat: chatLimitOptions,
  session: objectWith<WindowSettings>('an object of window settings'),
  parameters: parameterSettingsSchema,
  windowHandlers: objectWith<WindowHandlers>('an object of functions'),
  background: optionGroup<BackgroundLimits>({
    maxPerParent: count,
    maxGlobal: count,
    maxDepth: count,
    overLimit: choice('reject', 'queue'),
    maxQueued: count,
    timeoutMs: positiveCount,
    maxWakes: count,
    onCrash: choice('resume', 'interrupt'),
  }),
  prices: z.record(
    z.string(),
    requiredGroup<Omit<Price, 'tiers'>>(
      { input: amount, output: amount, cacheRead: amount, cacheWrite: amount },
      ['input', 'output'],
    ),
    { error: 'must be an object of prices by model' },
  ),
  events: keptDays,
  audit: keptDays,
  userDir: filledText,
  timeZone: filledText,
  logger: objectWith<Logger>('a logger of pino', 'warn', 'error'),
  clock: objectWith<Clock>('a clock with now()', 'now'),
}

function rightsOptions({ groups, permissionRule }: JoinedFacets) {
  const switches = Object.fromEntries(groups.map((group) => [group, flag]))
  return {
    toolGroups: optionGroup<Required<GroupSwitches>>(
      switches as Record<keyof GroupSwitches, typeof flag>,
    ) as z.ZodType<GroupSwitches>,
    permissions: optionGroup<Permissions>({
      mode: choice(...permissionModes),
      rules: z.array(permissionRule, { error: 'must be a list of rules' }),
    }),
  }
}

/** Refuses what is wrong before anything is opened: nothing is left behind then. */
export function readOptions(
  given: ParleyOptions,
  extensions: readonly Pick<
    Extension,
    'name' | 'options' | 'secretOptions' | 'toolNames' | 'hookEvents' | 'store'
  >[],
): CheckedOptions {
  requireDistinct('option', [
    ...Object.keys(coreOptions).map((name): Owned => [name, ofParley]),
    ...extensions.flatMap(({ name: owner, options = {} }) =>
      Object.keys(options).map((name): Owned => [name, owner]),
    ),
  ])
  const facets = joinFacets(extensions.flatMap(({ store }) => store ?? []))
  const events = [...Object.keys(toolHookEvents), ...Object.keys(joinHookEvents(extensions))]
  const schemas = Object.assign(
    {},
    coreOptions,
    { hooks: hookList(events), ...rightsOptions(facets) },
    ...extensions.map(({ options = {} }) => options),
  )
  const secrets = [...secretOptions, ...extensions.flatMap((extension) => extension.secretOptions ?? [])]
  checkOptions('createParley', optionGroup<ParleyOptions>(schemas), given, secrets)
  if (given.session) checkSettings(given.session)
  if (given.windowHandlers) checkHandlers(given.windowHandlers)
  const { tools, ...others } = given
  const reserved = [...coreToolNames, ...extensions.flatMap(({ toolNames = [] }) => toolNames)]
  return { ...others, ...(tools && { tools: readProgramTools('createParley', tools, facets, reserved) }) }
}
