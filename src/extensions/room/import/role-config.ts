import { agentNameSchema, createAgentSchema, type CreateAgent } from '../../agents/protocol/agent.ts'
import { isReserved } from '../../agents/protocol/reserved-names.ts'
import { maxRoles } from '../protocol/room.ts'
import { isObject } from '../../../core/shared/type-checks.ts'

/** The agents in a role configuration, and who does which node of a workflow. */
export interface RoleConfig {
  agents: Omit<CreateAgent, 'scope'>[]
  roleMap: Record<string, string>
}

type Fields = Record<string, unknown>

/**
 * Reads a role configuration of the earlier interface (version 3: models, stage_assignment, workflow_assignment,
 * role_profiles, cats). Whoever writes one has few means to check it, so what cannot be used is passed over.
 */
export function readRoleConfig(config: Fields): RoleConfig {
  const cats = fieldsOf(config.cats).flatMap(([name, cat]) => {
    const agent = agentNameSchema.safeParse(toName(name))
    return agent.success && isObject(cat) && !isReserved(name) ? [{ name: agent.data, cat }] : []
  })
  const roleMap = readRoleMap(config, cats)
  const agents = cats.map(({ name, cat }) => {
    const stages = Object.keys(roleMap).filter((stage) => roleMap[stage] === name)
    return toAgent(name, cat, stages, config)
  })
  return { agents, roleMap }
}

/** Who is named for a stage does it; else the first one whose model is that of the stage. */
function readRoleMap(config: Fields, cats: { name: string; cat: Fields }[]): Record<string, string> {
  const byModel = fieldsOf(config.stage_assignment).flatMap(([stage, model]) => {
    const found = cats.find(({ cat }) => typeof model === 'string' && cat.model_id === model)
    return found ? [[stage, found.name] as const] : []
  })
  const named = fieldsOf(config.workflow_assignment).flatMap(([stage, cat]) => {
    const agent = agentNameSchema.safeParse(toName(cat))
    return agent.success ? [[stage, agent.data] as const] : []
  })
  return Object.fromEntries(
    [...byModel, ...named].filter(([stage]) => stage !== '' && stage.length <= 64).slice(0, maxRoles),
  )
}

/** The stage of an agent determines its model, and its description where it has none of its own. */
function toAgent(
  name: string,
  cat: Fields,
  stages: readonly string[],
  config: Fields,
): Omit<CreateAgent, 'scope'> {
  const profiles = fieldsOf(config.role_profiles)
  const [, profile] = profiles.find(([stage, details]) => stages.includes(stage) && isObject(details)) ?? []
  const details = isObject(profile) ? profile : {}
  const [, staged] = fieldsOf(config.stage_assignment).find(([stage]) => stages.includes(stage)) ?? []
  const nickname = toWord(cat.nickname) ?? toWord(details.nickname)
  const aliases = Array.isArray(cat.aliases)
    ? (cat.aliases as unknown[]).flatMap((alias) => toWord(alias) ?? [])
    : []
  const names = [...new Set(nickname === undefined ? aliases : [...aliases, nickname])]
  return usable(name, {
    displayName: toWord(cat.display_name) ?? toWord(details.display_name),
    description: toText(details.role_title),
    nicknames: nickname === undefined ? undefined : [nickname],
    aliases: names.length === 0 ? undefined : names,
    persona: toText(cat.persona),
    avatar: toText(cat.avatar),
    color: toText(cat.color),
    model: findModel(config.models, staged) ?? findModel(config.models, cat.model_id),
  })
}

/** Field by field, so that one that does not fit takes no other along. */
function usable(name: string, fields: Fields): Omit<CreateAgent, 'scope'> {
  const { shape } = createAgentSchema
  const kept = Object.entries(fields).flatMap(([key, value]) => {
    const read = shape[key as keyof typeof shape].safeParse(value)
    return value !== undefined && read.success ? [[key, read.data] as const] : []
  })
  return { name, ...Object.fromEntries(kept) }
}

/** Programs of the earlier system, and whose models they ask. */
const adapters: Record<string, string> = {
  'claude-cli': 'anthropic',
  'codex-cli': 'openai',
  'gemini-cli': 'gemini',
}

function findModel(models: unknown, id: unknown): string | undefined {
  const listed = Array.isArray(models) ? (models as unknown[]).filter(isObject) : []
  const found = listed.find((model) => typeof id === 'string' && model.id === id)
  const name = toText(found?.model)
  if (found === undefined || name === undefined) return undefined
  if (name.includes('/')) return name
  const provider = toText(found.provider)
  if (provider === undefined) return undefined
  return `${Object.hasOwn(adapters, provider) ? adapters[provider] : provider}/${name}`
}

const fieldsOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** What an agent may be called. */
const toWord = (value: unknown): string | undefined => {
  const text = toText(value)
  return text === undefined || isReserved(text) ? undefined : text
}

/** As an agent can be mentioned: one word. */
const toName = (value: unknown): string | undefined => toText(value)?.replaceAll(/\s+/g, '-')
