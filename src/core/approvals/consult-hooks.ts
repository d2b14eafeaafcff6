import type { Workspaces } from '../files/workspaces.ts'
import type { HookedCall } from '../hooks/hook.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Advice } from '../hooks/tool-hooks.ts'
import { describeIssues } from '../protocol/issues.ts'
import type { GuardedCall } from '../tools/call-outcome.ts'
import { accessOf, type Access } from '../tools/tool.ts'

/** The call that would be made, and the opinions of hooks about it. */
export interface Consulted {
  input: unknown
  access: Access
  advice: Omit<Advice, 'call'>
}

const noAdvice: Consulted['advice'] = { changedBy: [], notes: [] }

/** Asks hooks about a call. An input that they changed has to fit the tool, and is checked like any other. */
export async function consult(
  hooks: Hooks | undefined,
  call: GuardedCall,
  workspaces: Workspaces,
): Promise<Consulted> {
  const { tool, signal } = call
  let { input } = call
  let access = accessOf(tool, input, workspaces)
  if (!hooks) return { input, access, advice: noAdvice }
  const advice = await hooks.beforeCall(
    toHooked(call, input, access),
    (changed) => {
      const parsed = tool.input.safeParse(changed)
      if (!parsed.success) return describeIssues(parsed.error, changed)
      // what is shown to a person is what the tool makes of it
      input = parsed.data
      access = accessOf(tool, input, workspaces)
      return toHooked(call, input, access)
    },
    signal,
  )
  return { input, access, advice }
}

export const toHooked = (
  { scope, sessionId, runId, toolCallId, tool }: GuardedCall,
  input: unknown,
  { action, effect, resources }: Access = accessOf(tool, input, { granted: [] }),
): HookedCall => ({
  scope,
  sessionId,
  runId,
  toolCallId,
  tool: tool.name,
  action,
  effect,
  resources,
  input,
})
