import { agentNameSchema, createAgentSchema, type AgentDefinition } from './protocol/agent.ts'
import { quote } from '../../core/protocol/error.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import { toColor } from './color.ts'
import { toParleyTools } from './foreign-tools.ts'
import {
  flagField,
  listField,
  parseFrontMatter,
  textField,
  type FrontMatter,
} from '../../core/context/front-matter.ts'

export interface AgentMatter {
  /** Undefined when the file is none that can be used, or is switched off. */
  agent?: AgentDefinition & { name: string }
  /** What of the file was left out, and why. */
  faults: string[]
}

const maxPersona = 20_000
const fieldSchemas = createAgentSchema.omit({ scope: true, name: true }).shape
type Field = keyof typeof fieldSchemas

/**
 * The definition of an agent in a file. One field that is wrong costs that field; a name that cannot be one,
 * or front matter that cannot be read, costs the agent.
 */
export function readAgentMatter(
  text: string,
  fileName: string,
  { isForeign }: { isForeign: boolean },
): AgentMatter {
  const matter = parseFrontMatter(text)
  if (matter.fault !== undefined) return { faults: [matter.fault] }
  if (flagField(matter, 'enabled') === false || flagField(matter, 'disable') === true) return { faults: [] }
  if (isForeign && Object.keys(matter.fields).length === 0)
    return { faults: ['has no front matter, which an agent needs there'] }
  const given = textField(matter, 'name') ?? fileName
  const name = isForeign ? toName(given) : given
  if (!agentNameSchema.safeParse(name).success)
    return {
      faults: [`has the name ${quote(given)}; it must be 1 to 64 letters, digits, "_" or "-"`],
    }
  const faults: string[] = []
  const said = isForeign ? readForeign(matter, given, name) : readOwn(matter)
  const agent = keepValid({ ...said, ...readShared(matter, faults) }, faults)
  return { agent: { name, ...agent }, faults }
}

function readOwn(matter: FrontMatter): Partial<Record<Field, unknown>> {
  const { fields } = matter
  return {
    displayName: fields['displayName'] ?? fields['display_name'],
    nicknames: toWords(matter, 'nicknames', 'nickname'),
    aliases: toWords(matter, 'aliases', 'alias'),
    avatar: fields['avatar'],
    tools: fields['tools'] === undefined ? undefined : listField(matter, 'tools', splitWords),
    readOnly: fields['readOnly'] ?? fields['read_only'],
    limits: fields['limits'],
  }
}

/** A title with blanks is a good name in other tools; here it is what people see. */
const readForeign = (matter: FrontMatter, given: string, name: string): Partial<Record<Field, unknown>> => ({
  displayName: given === name ? undefined : given,
  tools: toParleyTools(matter.fields['tools']),
})

function readShared(matter: FrontMatter, faults: string[]): Partial<Record<Field, unknown>> {
  const persona = matter.body.trim()
  if (persona.length > maxPersona)
    faults.push(`has more than ${maxPersona.toLocaleString('en')} characters; the rest was left out`)
  return {
    description: textField(matter, 'description')?.slice(0, 2_000),
    persona: persona === '' ? undefined : cut(persona, maxPersona),
    color: readColor(matter, faults),
    model: readModel(matter, faults),
  }
}

function readColor({ fields }: FrontMatter, faults: string[]): string | undefined {
  const given = fields['color'] ?? fields['colour']
  if (given === undefined || given === null) return undefined
  const color = toColor(given)
  if (color === undefined) faults.push(`has the colour ${quote(given)}, which was left out`)
  return color
}

/** Other tools call models by names of their own. */
function readModel(matter: FrontMatter, faults: string[]): string | undefined {
  const model = textField(matter, 'model')
  if (model === undefined || model === 'inherit') return undefined
  if (/^[^/\s]+\/\S/.test(model)) return model
  faults.push(`has the model ${quote(model)}, which was left out: it must be adapter/model`)
  return undefined
}

function keepValid(said: Partial<Record<Field, unknown>>, faults: string[]): AgentDefinition {
  const kept = Object.entries(said).flatMap(([field, value]) => {
    if (value === undefined || value === null) return []
    const result = fieldSchemas[field as Field].safeParse(value)
    if (result.success) return [[field, result.data]]
    faults.push(`has a wrong ${field}, which was left out. ${describeIssues(result.error, value)}`)
    return []
  })
  return Object.fromEntries(kept) as AgentDefinition
}

function toWords(matter: FrontMatter, ...names: string[]): string[] | undefined {
  const words = names.flatMap((name) => listField(matter, name, splitWords))
  return words.length > 0 ? words : undefined
}

const splitWords = (text: string): string[] => text.split(/[\s,，、]+/)

const toName = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    .replaceAll(/^[-_]+|-+$/g, '')

/** Without half an emoji at its end. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
