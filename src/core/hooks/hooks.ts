import type { Logger } from 'pino'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { CallOutcome, ReviewedCall } from '../tools/call-guard.ts'
import { commandEnvironment } from '../processes/environment.ts'
import { createProcessGroups } from '../processes/process-groups.ts'
import type { ReadyHook } from './ask-hook.ts'
import { askCommand, type CommandDeps } from './command-hook.ts'
import {
  answerSchemas,
  type CommandHook,
  type ExtractedMemories,
  type Hook,
  type HookedCall,
  type HookedMemory,
  type HookEvent,
  type HookPayloads,
  type InjectedMemories,
} from './hook.ts'
import { afterExtract, beforeInject } from '../../extensions/memory/memory-hooks.ts'
import { afterCall, beforeCall, type Advice, type LookAgain } from './tool-hooks.ts'

/** What others are asked before and after things are done. */
export interface Hooks {
  beforeCall(call: HookedCall, lookAgain: LookAgain, signal: AbortSignal): Promise<Advice>
  afterCall(
    call: HookedCall,
    outcome: CallOutcome,
    signal: AbortSignal,
  ): Promise<ReviewedCall & { changedBy: string[] }>
  beforeInject<Found extends HookedMemory>(
    turn: Pick<InjectedMemories, 'scope' | 'sessionId' | 'query'>,
    look: (query: string) => Promise<Found[]>,
  ): Promise<Found[]>
  afterExtract<Learned extends Omit<HookedMemory, 'id'>>(
    turn: Omit<ExtractedMemories, 'memories'>,
    learned: readonly Learned[],
    signal: AbortSignal,
  ): Promise<Learned[]>
  /** Ends the programs that are being asked. */
  close(): Promise<void>
}

export interface HooksDeps {
  /** Of hooks that say nothing else. */
  timeoutMs: number
  /** Where the few variables are picked from that programs get to see. */
  environment?: Readonly<Record<string, string | undefined>>
  logger: Logger
}

export const defaultHookTimeoutMs = 10_000
const defaultPriority = 100

export function createHooks(
  given: readonly (Hook | CommandHook)[],
  { timeoutMs, environment, logger }: HooksDeps,
): Hooks {
  const groups = createProcessGroups()
  const commands = { groups, env: commandEnvironment(environment) }
  const hooks = arrange(given.map((hook, index) => toReady(hook, index, timeoutMs, commands)))
  const of = <Event extends HookEvent>(event: Event) =>
    hooks.filter((hook): hook is ReadyHook & { event: Event } => hook.event === event)
  const [before, after, inject, extract] = [
    of('PreToolUse'),
    of('PostToolUse'),
    of('PreMemoryInject'),
    of('PostMemoryExtract'),
  ]
  return {
    beforeCall: (call, lookAgain, signal) => beforeCall(logger, before, call, lookAgain, signal),
    afterCall: (call, outcome, signal) => afterCall(logger, after, call, outcome, signal),
    beforeInject: (turn, look) => beforeInject(logger, inject, turn, look, new AbortController().signal),
    afterExtract: (turn, learned, signal) => afterExtract(logger, extract, turn, learned, signal),
    close: () => groups.close(),
  }
}

/** Lower priorities first, then in the order given. What has the same id takes the place of what was there. */
export function arrange(hooks: readonly ReadyHook[]): ReadyHook[] {
  const byId = new Map<string, ReadyHook>()
  for (const hook of hooks) {
    const key = `${hook.event} ${hook.id}`
    byId.delete(key)
    byId.set(key, hook)
  }
  return [...byId.values()].sort((one, other) => one.priority - other.priority)
}

function toReady(
  hook: Hook | CommandHook,
  index: number,
  defaultTimeoutMs: number,
  commands: CommandDeps,
): ReadyHook {
  const { event, priority = defaultPriority, timeoutMs = defaultTimeoutMs } = hook
  if (!Object.hasOwn(answerSchemas, event))
    throw invalidRequest(
      `hooks: there is no event ${quote(event)}. Events: ${Object.keys(answerSchemas).join(', ')}.`,
    )
  const { tool = '*', onFailure = 'allow' } = hook as CommandHook
  return {
    id: hook.id ?? `${event}-${index + 1}`,
    event,
    tool,
    priority,
    timeoutMs,
    onFailure,
    ask: (payload, signal) =>
      'command' in hook ? askCommand(commands, hook, payload, signal) : runHook(hook, payload, signal),
  }
}

/** A hook is only ever given what its event says. */
const runHook = (hook: Hook, payload: HookPayloads[HookEvent], signal: AbortSignal): unknown =>
  (hook.run as (given: HookPayloads[HookEvent], signal: AbortSignal) => unknown)(payload, signal)
