import type { Approval } from '../../../src/client/index.ts'

type Call = Pick<Approval, 'toolName' | 'input'>

/** What a model wants to save: a new definition, or another text of one. */
export interface Proposal {
  text: string
  isNew: boolean
  /** What it changes; where neither is said it is that of the session. */
  id?: string
  name?: string
}

export function proposalOf({ toolName, input }: Call): Proposal | undefined {
  if (toolName !== 'workflow' || typeof input !== 'object' || input === null) return undefined
  const { action, text, id, name } = input as Record<string, unknown>
  if ((action !== 'create' && action !== 'update') || typeof text !== 'string') return undefined
  return {
    text,
    isNew: action === 'create',
    ...(typeof id === 'string' && { id }),
    ...(typeof name === 'string' && { name }),
  }
}

export const isProposal = (call: Call) => proposalOf(call) !== undefined
