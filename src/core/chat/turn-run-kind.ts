import type { RunKind } from '../runs/run-engine.ts'
import type { PromptPreview, RunPrompt, SentPrompt } from '../protocol/prompt.ts'
import { abandonTurn, runTurn } from './run-turn.ts'
import type { ChatDeps } from './turn-limits.ts'
import { inspectRun, inspectStep, previewPrompt } from './inspect-prompt.ts'
import { joinContext, type ContextReader } from './prompt-context.ts'
import type { PromptSource } from './prompt-source.ts'
import { createSessionTypes, type SessionTypes } from './session-types.ts'
import { joinTurnHooks, type TurnHooks } from './turn-hooks.ts'
import type { TurnInput } from './turn-input.ts'

/** What a turn works with, as several parts of Parley contribute to it; each list is called in its order. */
export interface TurnParts extends Omit<
  ChatDeps,
  'hooks' | 'readContext' | 'types' | 'sources' | 'toolSources'
> {
  hooks?: readonly TurnHooks[]
  contextReaders?: readonly ContextReader[]
  sources?: readonly PromptSource[]
  toolSources?: ChatDeps['toolSources']
  /** Default: those that every Parley has. */
  types?: SessionTypes
}

/** Prompts as they would be sent, and as they were. */
export interface PromptInspection {
  previewPrompt(place: { scope: string; sessionId: string }): Promise<PromptPreview>
  inspectRun(scope: string, runId: string): Promise<RunPrompt>
  /** One model call of a run, whole. */
  inspectStep(scope: string, runId: string, step: number): Promise<SentPrompt>
}

export interface Turns {
  /** What executes each kind of run that is a turn. */
  runKind: Required<Pick<RunKind, 'execute' | 'giveUp' | 'takesInput'>>
  prompts: PromptInspection
}

/** Executes turns. Whatever tools, hooks and prompts are made of is there by now. */
export function createTurns({
  hooks: contributions = [],
  contextReaders = [],
  sources = [],
  toolSources = [],
  types = createSessionTypes(),
  ...parts
}: TurnParts): Turns {
  const { store } = parts
  const hooks = joinTurnHooks(contributions, parts.logger)
  types.place(...sources.flatMap(({ places = [] }) => places))
  const deps: ChatDeps = {
    ...parts,
    hooks,
    readContext: joinContext(contextReaders),
    sources,
    toolSources,
    types,
  }
  return {
    runKind: {
      async execute(turn) {
        if ((await runTurn(deps, turn)) === 'waits') return 'waits'
        void hooks.afterTurn(store, turn.run)
        return undefined
      },
      giveUp: (turn, reason) => abandonTurn(deps, turn, reason),
      takesInput: ({ input }) => (input as TurnInput).isWake !== true,
    },
    prompts: {
      previewPrompt: ({ scope, sessionId }) => previewPrompt(deps, scope, sessionId),
      inspectRun: (scope, runId) => inspectRun(store, scope, runId),
      inspectStep: (scope, runId, step) => inspectStep(deps, scope, runId, step),
    },
  }
}
