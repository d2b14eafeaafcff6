import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { misfit } from '../protocol/issues.ts'
import type { ApprovalFacets } from '../protocol/facets.ts'
import type { ReadWorkspaces } from '../sessions/session-workspaces.ts'
import type { Store } from '../store/store.ts'
import type { CallGuard, GuardedCall } from '../tools/call-outcome.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { ChatDeps } from './turn-limits.ts'
import { executeTool } from './execute-tool-call.ts'
import { toolsOf } from './turn-tools.ts'

export interface CallToolDeps {
  store: Store
  tools: ToolRegistry
  guard: CallGuard
  readWorkspaces: ReadWorkspaces
  readGroups: NonNullable<ChatDeps['readGroups']>
}

/** Where a call is made, as if the model of the session made it; the same `toolCallId` is asked about once. */
export interface ToolCallPlace extends Pick<
  ToolContext,
  'scope' | 'sessionId' | 'runId' | 'toolCallId' | 'signal'
> {
  /** Called when a person is asked. */
  onAsk(approvalId: string): Promise<void>
}

export interface ToolCaller {
  /** Whether there is such a tool here. */
  hasTool(name: string): boolean
  /**
   * Asks about a call that is then made some other way, and answers with what it is to be made with, and what was shown
   * of it when somebody was asked. Throws when it is refused.
   */
  admitCall(
    name: string,
    input: Record<string, unknown>,
    place: ToolCallPlace,
  ): Promise<{ input: unknown; agreed?: ApprovalFacets }>
  /** Makes a call with all that goes with one: rules, hooks, asks and the record of it. Throws when it is refused. */
  callTool(name: string, input: Record<string, unknown>, place: ToolCallPlace): Promise<unknown>
}

/** Calls of tools beside a turn, on behalf of a session: those it has, with its rules, hooks and asks, and in the record. */
export function createToolCaller(deps: CallToolDeps): ToolCaller {
  const { store, tools, guard, readWorkspaces, readGroups } = deps
  const hasTool = (name: string): boolean => tools.find(name) !== undefined

  async function admit(name: string, input: Record<string, unknown>, { onAsk, ...place }: ToolCallPlace) {
    if (!hasTool(name)) throw invalidRequest(`There is no tool ${quote(name)}.`)
    const session = await store.requireSession(place.scope, place.sessionId)
    const own = toolsOf(tools.list(), session, { groups: await readGroups(session) })
    const tool = own.find((known) => known.name === name)
    if (!tool) throw new ParleyError('forbidden', `The session does not have the tool ${quote(name)}.`)
    if (tool.isAwaited)
      throw new ParleyError(
        'forbidden',
        `The results of the tool ${quote(name)} come from outside of a turn: only a model can call it.`,
      )
    const read = tool.input.safeParse(input)
    if (!read.success) throw misfit(read.error, input)
    const call: GuardedCall = {
      ...place,
      tool,
      input: read.data,
      isHeadless: false,
      onAsk: ({ id }) => onAsk(id),
      onAnswer: async () => {},
    }
    const admitted = await guard.admit(call)
    if ('refused' in admitted) throw new ParleyError('forbidden', admitted.refused.message)
    return { session, call, tool, admitted }
  }

  return {
    hasTool,

    async admitCall(name, input, place) {
      const { admitted } = await admit(name, input, place)
      return { input: admitted.input, agreed: admitted.agreed }
    },

    async callTool(name, input, place) {
      const { session, call, tool, admitted } = await admit(name, input, place)
      const { onAsk: _, ...context } = place
      const workspaces = { ...(await readWorkspaces(session)), decided: admitted.access?.resources }
      const make = () =>
        executeTool(tool, admitted.input, {
          ...context,
          workspaces,
          agreed: admitted.agreed,
          mayContinue: async (address) => (await guard.mayContinue?.(call, admitted, address)) ?? true,
        })
          .then((value) => ({ value }))
          .catch((error: unknown) => ({ error }))
      const outcome = await (guard.make?.(call, make) ?? make())
      const reviewed = await guard.done?.(call, admitted, outcome)
      const seen = reviewed?.outcome ?? outcome
      if ('error' in seen) throw seen.error
      return seen.value
    },
  }
}
