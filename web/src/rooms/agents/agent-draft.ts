import { ParleyError } from '../../../../src/client/index.ts'
import type { Agent, CreateAgent, UpdateAgent } from '../../../../src/extensions/agents/protocol/agent.ts'
import { foldName } from '../../../../src/core/shared/fold-name.ts'
import { toFieldErrors, type FieldErrors } from '../../api/field-errors.ts'
import type { IssueTexts } from '../../api/texts.ts'

/** An agent as it is typed. */
export interface AgentDraft {
  name: string
  displayName: string
  description: string
  avatar: string
  color: string
  nicknames: string
  aliases: string
  persona: string
  model: string
  tools: 'all' | 'none' | 'some'
  toolNames: readonly string[]
  maxSteps: string
  tokenBudget: string
  timeoutSeconds: string
}

export const agentFields = [
  'name',
  'displayName',
  'description',
  'avatar',
  'color',
  'nicknames',
  'aliases',
  'persona',
  'model',
  'tools',
  'limits',
] as const
export type AgentErrors = FieldErrors<(typeof agentFields)[number]>

export function toAgentDraft(agent?: Agent): AgentDraft {
  const { limits = {}, tools } = agent ?? {}
  return {
    name: agent?.name ?? '',
    displayName: agent?.displayName ?? '',
    description: agent?.description ?? '',
    avatar: agent?.avatar ?? '',
    color: agent?.color ?? '',
    nicknames: (agent?.nicknames ?? []).join(', '),
    aliases: (agent?.aliases ?? []).join(', '),
    persona: agent?.persona ?? '',
    model: agent?.model ?? '',
    tools: tools === undefined ? 'all' : tools.length === 0 ? 'none' : 'some',
    toolNames: tools ?? [],
    maxSteps: toTyped(limits.maxSteps),
    tokenBudget: toTyped(limits.tokenBudget),
    timeoutSeconds: toTyped(limits.timeoutMs, 1_000),
  }
}

const toTyped = (value: number | undefined, unit = 1) => (value === undefined ? '' : String(value / unit))

type Definition = Omit<CreateAgent, 'scope' | 'name'>

function toDefinition(draft: AgentDraft): Definition {
  const limits = {
    maxSteps: toNumber(draft.maxSteps),
    tokenBudget: toNumber(draft.tokenBudget),
    timeoutMs: toNumber(draft.timeoutSeconds, 1_000),
  }
  const given: Definition = {
    displayName: draft.displayName.trim(),
    description: draft.description.trim(),
    avatar: draft.avatar.trim(),
    color: draft.color.trim(),
    nicknames: toWords(draft.nicknames),
    aliases: toWords(draft.aliases),
    persona: draft.persona.trim(),
    model: draft.model.trim(),
    tools: draft.tools === 'all' ? undefined : draft.tools === 'none' ? [] : [...draft.toolNames],
    limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  }
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) =>
      name === 'tools' ? value !== undefined : !isEmpty(value),
    ),
  )
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** What is no number goes as it is: the server says what is wrong with it. */
function toNumber(typed: string, unit = 1): number | undefined {
  const words = typed.trim()
  if (words === '') return undefined
  return Number.isFinite(Number(words)) ? Math.round(Number(words) * unit) : (words as never)
}

/** With or without an @, with any comma. */
const toWords = (typed: string): string[] =>
  typed
    .split(/[,，、;；\s]+/)
    .map((word) => word.replace(/^@/, ''))
    .filter(Boolean)

export const toCreateAgent = (draft: AgentDraft, scope: string | undefined): CreateAgent => ({
  scope,
  name: draft.name.trim(),
  ...toDefinition(draft),
})

/** What was emptied is taken away. */
export function toUpdateAgent(draft: AgentDraft, before: Agent, scope: string | undefined): UpdateAgent {
  const definition = toDefinition(draft)
  const gone = agentFields.filter(
    (field) => field !== 'name' && before[field] !== undefined && !(field in definition),
  )
  return { scope, ...definition, ...Object.fromEntries(gone.map((field) => [field, null])) }
}

/** Where what the server refused is shown: a name that is taken, at the field that holds it. */
export function toAgentErrors(error: unknown, draft: AgentDraft, t: IssueTexts): AgentErrors {
  if (error instanceof ParleyError && error.code === 'conflict') {
    const { word, name } = (error.details ?? {}) as { word?: unknown; name?: unknown }
    if (typeof word === 'string') return { [fieldWith(word, draft)]: error.message }
    if (typeof name === 'string') return { name: error.message }
  }
  return toFieldErrors(error, agentFields, t)
}

function fieldWith(word: string, draft: AgentDraft): 'name' | 'displayName' | 'nicknames' | 'aliases' {
  const isIt = (other: string) => foldName(other) === foldName(word)
  if (toWords(draft.nicknames).some(isIt)) return 'nicknames'
  if (toWords(draft.aliases).some(isIt)) return 'aliases'
  return isIt(draft.displayName.trim()) && !isIt(draft.name.trim()) ? 'displayName' : 'name'
}
