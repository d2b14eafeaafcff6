import type { Tracer } from '@opentelemetry/api'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Permissions } from '../approvals/authority.ts'
import type { ApprovalLimits } from '../approvals/guard.ts'
import type { BackgroundLimits } from '../tasks/limits.ts'
import { chatLimitOptions } from '../chat/limit-options.ts'
import type { TrustedFolders } from '../files/trusted-folders.ts'
import { answerSchemas, type CommandHook, type Hook, type HookEvent } from '../hooks/hook.ts'
import type { HttpServer, McpServerSettings, StdioServer } from '../../extensions/mcp/server-settings.ts'
import type { MemorySettings } from '../../extensions/memory/deps.ts'
import { modelOptions } from '../models/model-options.ts'
import type { PlanLimits } from '../../extensions/plan/deps.ts'
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
  positiveCount,
  requiredGroup,
  text,
  textList,
  textsByName,
} from '../protocol/options.ts'
import {
  permissionModes,
  permissionRuleSchema,
  toolGroups,
  type GroupSwitches,
} from '../protocol/permission.ts'
import type { WindowSettings } from '../protocol/window.ts'
import type { RoomLimits } from '../../extensions/room/deps.ts'
import type { Price } from '../runs/budget.ts'
import { checkHandlers, type WindowHandlers } from '../sessions/window/handlers.ts'
import { checkSettings } from '../sessions/window/settings.ts'
import type { Clock } from '../shared/clock.ts'
import type { TelemetryOptions } from '../../telemetry/open.ts'
import { readProgramTools } from '../tools/program-tools.ts'
import type { TerminalSettings } from '../../extensions/terminal/terminal-tool.ts'
import type { Tool, ToolDefinition } from '../tools/tool.ts'
import type { SearchSettings } from '../../extensions/web/search-engines.ts'
import type { WebSettings } from '../../extensions/web/web-tools.ts'
import type { WorkflowLimits } from '../../extensions/workflow/deps.ts'
import { builtInTools } from './built-in-tools.ts'
import type { ParleyOptions } from './options.ts'

/** Options that were looked at: the tools are ready to be used. */
export type CheckedOptions = Omit<ParleyOptions, 'tools'> & { tools?: readonly Tool[] }

/** Keys, or programs and addresses that are given some: nothing under them is repeated in a message. */
const secretOptions = ['databaseUrl', 'models', 'mcpServers', 'hooks', 'telemetry', 'web', 'terminal']

const keptDays = optionGroup<{ keptDays: number }>({ keptDays: amount })

const hookEvents = Object.keys(answerSchemas) as HookEvent[]
const hookShape = {
  event: choice(...hookEvents),
  id: filledText,
  priority: anyNumber,
  timeoutMs: positiveCount,
  tool: filledText,
  onFailure: choice('allow', 'deny'),
}
const functionHook = requiredGroup<Omit<CommandHook, 'command'> & { run: Hook['run'] }>(
  { ...hookShape, run: callable },
  ['event', 'run'],
)
const commandHook = requiredGroup<CommandHook>(
  { ...hookShape, command: textList.refine(([program]) => !!program, 'must be a program and its arguments') },
  ['event', 'command'],
)

const serverShape = { disabled: flag, timeout: positiveCount }
const stdioServer = requiredGroup<StdioServer & McpServerSettings>(
  {
    type: choice('stdio'),
    command: filledText,
    args: z.array(text, { error: 'must be a list of texts' }),
    env: textsByName,
    cwd: filledText,
    ...serverShape,
  },
  ['command'],
)
const httpServer = requiredGroup<HttpServer & McpServerSettings>(
  { type: choice('http'), url: filledText, headers: textsByName, ...serverShape },
  ['type', 'url'],
)

const has = (value: unknown, key: string) => typeof value === 'object' && value !== null && key in value

/** Every option of `ParleyOptions`; the compiler refuses one that is missing here, and one too many. */
const parleyOptions = optionGroup<ParleyOptions>({
  dataDir: filledText,
  databaseUrl: filledText,
  sqlite: optionGroup<NonNullable<ParleyOptions['sqlite']>>({
    synchronous: choice('FULL', 'NORMAL'),
    busyTimeoutMs: count,
  }),
  postgres: optionGroup<NonNullable<ParleyOptions['postgres']>>({
    poolSize: positiveCount,
    connectTimeoutMs: count,
  }),
  mirrorDir: filledText,
  limits: optionGroup<NonNullable<ParleyOptions['limits']>>({ pageSize: positiveCount }),
  takesUpRuns: flag,
  shutdownMs: count,
  scopes: z.record(scopeSchema, requiredGroup<{ root: string }>({ root: filledText }, ['root']), {
    error: 'must be an object of folders by the name of their scope',
  }),
  trust: objectWith<TrustedFolders>('the trusted folders that openTrustedFolders gives', 'has'),
  models: modelOptions,
  tools: z.array(z.custom<ToolDefinition>(), { error: 'must be a list of tools' }),
  toolGroups: groupSwitches(),
  permissions: optionGroup<Permissions>({
    mode: choice(...permissionModes),
    rules: z.array(permissionRuleSchema, { error: 'must be a list of rules' }),
  }),
  hooks: z.array(
    oneByOne<Hook | CommandHook>((hook) => (has(hook, 'command') ? commandHook : functionHook)),
    { error: 'must be a list of hooks' },
  ),
  hookTimeoutMs: positiveCount,
  approvals: optionGroup<ApprovalLimits>({ timeoutMs: count, fallback: choice('allow', 'deny') }),
  mcpServers: z.record(
    z.string(),
    oneByOne<McpServerSettings>((server) => (has(server, 'url') ? httpServer : stdioServer)),
    { error: 'must be an object of MCP servers by name' },
  ),
  documents: optionGroup<NonNullable<ParleyOptions['documents']>>({ maxBytes: count }),
  locks: optionGroup<NonNullable<ParleyOptions['locks']>>({ ttlMs: count }),
  chat: chatLimitOptions,
  session: objectWith<WindowSettings>('an object of window settings'),
  windowHandlers: objectWith<WindowHandlers>('an object of functions'),
  memory: optionGroup<MemorySettings>({
    enabled: flag,
    learn: flag,
    model: filledText,
    shareUser: flag,
    embeddingModel: filledText,
    maxPerLayer: count,
  }),
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
  workflows: optionGroup<WorkflowLimits>({
    maxTotalTimeoutMs: positiveCount,
    maxStepOutputChars: count,
    approvalTimeoutMs: positiveCount,
    maxDepth: count,
    maxRunSteps: positiveCount,
    maxOpenRuns: count,
    runsKeptDays: amount,
  }),
  plans: optionGroup<PlanLimits>({
    maxParallel: positiveCount,
    nodeRetries: count,
    nodeTimeoutMs: positiveCount,
    runTimeoutMs: positiveCount,
    maxRunTokens: count,
    maxRunCost: amount,
    maxFollowUps: count,
    resultTokens: count,
    runsKeptDays: amount,
    autoDecompose: flag,
  }),
  rooms: optionGroup<RoomLimits>({
    hopLimit: count,
    coolDown: count,
    maxReplies: count,
    keptStates: count,
    agentTimeoutMs: positiveCount,
    testCommands: textList,
    testTimeoutMs: positiveCount,
  }),
  prices: z.record(
    z.string(),
    requiredGroup<Price>({ input: amount, output: amount, cacheRead: amount }, ['input', 'output']),
    { error: 'must be an object of prices by model' },
  ),
  events: keptDays,
  audit: keptDays,
  web: optionGroup<WebSettings>({
    maxBytes: count,
    maxCharacters: count,
    timeoutMs: positiveCount,
    allowPrivate: textList,
    search: optionGroup<SearchSettings>({
      searxngUrl: filledText,
      braveKey: filledText,
      tavilyKey: filledText,
    }),
  }),
  webhooks: optionGroup<NonNullable<ParleyOptions['webhooks']>>({
    maxPerScope: count,
    maxWaiting: count,
    maxAtOnce: positiveCount,
    timeoutMs: positiveCount,
    maxAttempts: positiveCount,
    maxFailures: positiveCount,
    keptDays: amount,
    allowPrivate: textList,
  }),
  terminal: optionGroup<TerminalSettings>({
    timeoutSeconds: amount,
    maxTimeoutSeconds: amount,
    maxOutput: count,
    maxLogBytes: count,
    maxPerSession: count,
    idleMs: count,
    sandbox: choice('auto', 'off'),
    network: choice('off', 'on'),
    hosts: textList,
    readable: textList,
    bubblewrap: filledText,
    maxMemoryBytes: count,
    maxProcesses: count,
    maxTemporaryBytes: count,
    maxLookedEntries: count,
    maxGuarded: count,
    environment: objectWith<NonNullable<TerminalSettings['environment']>>('an object of variables'),
    variables: textList,
  }),
  userDir: filledText,
  telemetry: optionGroup<TelemetryOptions>({
    tracer: objectWith<Tracer>('a tracer of OpenTelemetry', 'startSpan'),
    endpoint: filledText,
    headers: textsByName,
    serviceName: filledText,
    samplePercent: amount,
    content: flag,
  }),
  timeZone: filledText,
  logger: objectWith<Logger>('a logger of pino', 'warn', 'error'),
  clock: objectWith<Clock>('a clock with now()', 'now'),
})

function groupSwitches(): z.ZodType<GroupSwitches> {
  return optionGroup<Required<GroupSwitches>>(
    Object.fromEntries(toolGroups.map((group) => [group, flag])) as Record<
      (typeof toolGroups)[number],
      typeof flag
    >,
  )
}

/** Refuses what is wrong before anything is opened: nothing is left behind then. */
export function readOptions(options: ParleyOptions): CheckedOptions {
  checkOptions('createParley', parleyOptions, options, secretOptions)
  if (options.session) checkSettings(options.session)
  if (options.windowHandlers) checkHandlers(options.windowHandlers)
  const { tools, ...others } = options
  return { ...others, ...(tools && { tools: readProgramTools('createParley', tools, builtInTools) }) }
}
