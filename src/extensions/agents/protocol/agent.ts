import { z } from 'zod'
import {
  labelSchema,
  listOf,
  scopeSchema,
  speakerNameSchema,
  timestampSchema,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'
import { wordings } from '../../../core/protocol/wordings.ts'

export const agentNameSchema = speakerNameSchema

/** What somebody may be called in a message: one word after an @. */
const calledPattern = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]{0,63}$/u
const calledSchema = z.string().regex(calledPattern, wordings.word)
export const isCallable = (word: string): boolean => calledPattern.test(word)
const calledListSchema = listOf(calledSchema, 20, { type: 'string' })

export const agentLimitsSchema = z.strictObject({
  maxSteps: z.int().min(1).max(1_000).optional().meta({ description: 'Model calls of one turn' }),
  tokenBudget: z.int().positive().optional().meta({ description: 'Tokens of one turn, in and out' }),
  timeoutMs: z
    .int()
    .min(1_000)
    .max(86_400_000)
    .optional()
    .meta({ description: 'How long one turn may take' }),
})

const definitionFields = {
  displayName: labelSchema.max(100).optional(),
  description: z.string().max(2_000).optional().meta({ description: 'What it is good for, for people' }),
  nicknames: calledListSchema.optional().meta({ description: 'Unique in the scope, whatever the case' }),
  aliases: calledListSchema.optional(),
  persona: z.string().max(20_000).optional().meta({ description: 'Who it is, as it reads it itself' }),
  avatar: labelSchema.max(16).optional().meta({ description: 'An emoji or a letter or two' }),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, wordings.color)
    .optional(),
  model: z.string().min(1).max(200).optional(),
  tools: listOf(z.string().min(1).max(200), 200, { type: 'string' }).optional().meta({
    description: 'Tools it may use, of those that the room has; all when left out, none when empty',
  }),
  readOnly: z
    .boolean()
    .optional()
    .meta({ description: 'It looks and changes nothing, whatever its tools could do' }),
  limits: agentLimitsSchema.optional(),
}

const definitionSchema = z.object(definitionFields)
/** An agent without its name and where it comes from. */
export type AgentDefinition = z.infer<typeof definitionSchema>

/** A named definition that rooms use. Those from files and those that come with Parley cannot be changed here. */
export const agentSchema = z
  .object({
    name: agentNameSchema,
    ...definitionFields,
    source: z
      .enum(['stored', 'project', 'user', 'shipped'])
      .meta({ description: 'Where it comes from; an earlier one hides a later one of the same name' }),
    path: z.string().optional().meta({ description: 'Its file, when it has one' }),
    createdAt: timestampSchema.optional(),
    updatedAt: timestampSchema.optional(),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof agentSchema>

export const createAgentSchema = z
  .strictObject({ scope: scopeSchema.optional(), name: agentNameSchema, ...definitionFields })
  .meta({ id: 'CreateAgent' })
export type CreateAgent = z.infer<typeof createAgentSchema>

export const updateAgentSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    displayName: definitionFields.displayName.nullable(),
    description: definitionFields.description.nullable(),
    nicknames: definitionFields.nicknames.nullable(),
    aliases: definitionFields.aliases.nullable(),
    persona: definitionFields.persona.nullable(),
    avatar: definitionFields.avatar.nullable(),
    color: definitionFields.color.nullable(),
    model: definitionFields.model.nullable(),
    tools: definitionFields.tools.nullable(),
    readOnly: definitionFields.readOnly.nullable(),
    limits: definitionFields.limits.nullable(),
  })
  .meta({ id: 'UpdateAgent', description: 'null takes a value away' })
export type UpdateAgent = z.infer<typeof updateAgentSchema>

export const agentListQuerySchema = pageQuerySchema

export const agentPageSchema = z
  .object({
    items: z.array(agentSchema),
    problems: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .meta({ description: 'Files that were not used as their author meant them' }),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'AgentPage' })
export type AgentPage = z.infer<typeof agentPageSchema>
export type AgentListQuery = z.infer<typeof agentListQuerySchema>
