import type { Logger } from 'pino'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { CallOutcome, ReviewedCall } from '../tools/call-outcome.ts'
import { commandEnvironment } from '../processes/command-environment.ts'
import { createProcessGroups } from '../processes/process-groups.ts'
import type { ReadyHook, ReadyHookOf } from './call-hook.ts'
import { askCommand, type CommandDeps } from './command-hook.ts'
import {
  toolHookEvents,
  type AnswerSchemas,
  type CommandHook,
  type Hook,
  type HookedCall,
  type HookEvent,
  type PayloadOf,
} from './hook.ts'
import { afterCall, beforeCall, type Advice, type CheckChanged } from './tool-hooks.ts'

/** What others are asked before and after things are done. */
export interface Hooks {
  beforeCall(call: HookedCall, checkChanged: CheckChanged, signal: AbortSignal): Promise<Advice>
  afterCall(
    call: HookedCall,
    outcome: CallOutcome,
    signal: AbortSignal,
  ): Promise<ReviewedCall & { changedBy: string[] }>
  /** Those of an event, in the order in which they are asked. */
  of<Event extends HookEvent>(event: Event): readonly ReadyHookOf<Event>[]
  /** Ends the programs that are being asked. */
  close(): Promise<void>
}

export interface HooksDeps {
  /** What there is beside calls of tools. */
  events?: AnswerSchemas
  /** Of hooks without their own. */
  timeoutMs: number
  /** Where the few variables are picked from that programs get to see. */
  environment?: Readonly<Record<string, string | undefined>>
  logger: Logger
}

export const defaultHookTimeoutMs = 10_000
const defaultPriority = 100

export function createHooks(
  given: readonly (Hook | CommandHook)[],
  { events, timeoutMs, environment, logger }: HooksDeps,
): Hooks {
  const groups = createProcessGroups()
  const deps = {
    answers: { ...toolHookEvents, ...events },
    defaultTimeoutMs: timeoutMs,
    commands: { groups, env: commandEnvironment(environment) },
  }
  const hooks = arrange(given.map((hook, index) => toReady(deps, hook, index)))
  const of = <Event extends HookEvent>(event: Event) =>
    hooks.filter((hook): hook is ReadyHookOf<Event> => hook.event === event)
  const [before, after] = [of('PreToolUse'), of('PostToolUse')]
  return {
    beforeCall: (call, checkChanged, signal) => beforeCall(logger, before, call, checkChanged, signal),
    afterCall: (call, outcome, signal) => afterCall(logger, after, call, outcome, signal),
    of,
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

interface ReadyDeps {
  answers: AnswerSchemas
  defaultTimeoutMs: number
  commands: CommandDeps
}

function toReady(
  { answers, defaultTimeoutMs, commands }: ReadyDeps,
  hook: Hook | CommandHook,
  index: number,
): ReadyHook {
  const { event, priority = defaultPriority, timeoutMs = defaultTimeoutMs } = hook
  const answer = Object.hasOwn(answers, event) ? answers[event] : undefined
  if (!answer)
    throw invalidRequest(
      `hooks: there is no event ${quote(event)}. Events: ${Object.keys(answers).join(', ')}.`,
    )
  const { tool = '*', onFailure = 'allow' } = hook as CommandHook
  return {
    id: hook.id ?? `${event}-${index + 1}`,
    event,
    tool,
    priority,
    timeoutMs,
    onFailure,
    answer,
    ask: (payload, signal) =>
      'command' in hook ? askCommand(commands, hook, payload, signal) : runHook(hook, payload, signal),
  }
}

/** A hook only ever receives the payload of its event. */
const runHook = (hook: Hook, payload: PayloadOf<HookEvent>, signal: AbortSignal): unknown =>
  (hook.run as (given: PayloadOf<HookEvent>, signal: AbortSignal) => unknown)(payload, signal)
