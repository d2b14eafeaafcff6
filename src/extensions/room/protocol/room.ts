/**
 * Rooms on the wire. A room is a session with a mode and several agents; what is said in it for all to hear is its
 * log. Who is asked, and why, is decided by the server alone and reported as a round.
 */
import { z } from 'zod'
import { foldName } from '../../../core/shared/fold-name.ts'
import { agentNameSchema, agentSchema } from '../../agents/protocol/agent.ts'
import { defaultHuman } from '../../agents/protocol/reserved-names.ts'
import {
  idSchema,
  labelSchema,
  listOf,
  scopeSchema,
  timestampSchema,
  pageFields,
} from '../../../core/protocol/names.ts'
import { named } from '../../../core/protocol/wordings.ts'

/** Who answers when nobody is mentioned. */
export const roomPolicies = ['all', 'moderator', 'round-robin', 'selector', 'silent'] as const
export type RoomPolicy = (typeof roomPolicies)[number]

/** An agent that answers exactly this stays silent. */
export const replySkip = 'REPLY_SKIP'

export const roomAgentNamesSchema = listOf(agentNameSchema, 50, { type: 'string' }).refine(
  (names) => names.length > 0 && new Set(names.map(foldName)).size === names.length,
  named('agents_once', 'must name at least one agent, each once'),
)

const humanSchema = z.strictObject({
  name: agentNameSchema,
  displayName: labelSchema.max(100).optional(),
  plays: z
    .boolean()
    .optional()
    .meta({ description: 'Takes part in games, and sees no more than the rules allow; default false' }),
})
export type Human = z.infer<typeof humanSchema>

export const maxRoles = 50

const followersSchema = listOf(agentNameSchema, 50, { type: 'string' })

const selectorSchema = z.strictObject({
  model: z.string().min(1).max(200).optional().meta({ description: 'That picks; default that of the room' }),
  instructions: z.string().max(4_000).optional().meta({ description: 'By what it picks' }),
  start: roomAgentNamesSchema.optional().meta({ description: 'Who may speak first; default all' }),
  transitions: z
    .record(agentNameSchema, followersSchema)
    .refine((map) => Object.keys(map).length <= maxRoles, {
      error: `must have at most ${maxRoles} agents`,
      params: { rule: 'max_entries', maximum: maxRoles },
    })
    .optional()
    .meta({
      description:
        'By agent, who may speak after it, none with an empty list; one that is not named is followed by any other',
    }),
  maxTurns: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'How many are picked for one input, one after another; default 5' }),
})
export type Selector = z.infer<typeof selectorSchema>

/** How a room behaves, whatever its mode. */
export const roomSettingsSchema = z
  .strictObject({
    policy: z.enum(roomPolicies).optional().meta({ description: 'Default all' }),
    moderator: agentNameSchema.optional().meta({ description: 'Of the policy moderator; default the first' }),
    selector: selectorSchema.optional().meta({ description: 'Of the policy selector' }),
    hopLimit: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .meta({ description: 'How often in a row agents call one another; default rooms.hopLimit' }),
    coolDown: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .meta({ description: 'Rounds that an agent rests before another can call it; default rooms.coolDown' }),
    maxReplies: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .meta({ description: 'Answers to one input, of all agents; default rooms.maxReplies' }),
    budget: z
      .strictObject({ tokens: z.int().positive().optional(), cost: z.number().positive().optional() })
      .optional()
      .meta({ description: 'What the answers to one input may use' }),
    humans: listOf(humanSchema, 10, { type: 'object' })
      .optional()
      .meta({ description: `Default one that is called ${defaultHuman}` }),
    roleMap: z
      .record(z.string().min(1).max(64), agentNameSchema)
      .refine((map) => Object.keys(map).length <= maxRoles, {
        error: `must have at most ${maxRoles} nodes`,
        params: { rule: 'max_entries', maximum: maxRoles },
      })
      .optional()
      .meta({ description: 'Which agent does a node of a workflow: coder, reviewer, tester' }),
    muted: roomAgentNamesSchema
      .optional()
      .meta({ description: 'Agents that are not asked, also when they are mentioned' }),
    language: z.enum(['en', 'zh']).optional().meta({ description: 'In which rooms speak; default en' }),
  })
  .meta({ id: 'RoomSettings' })
export type RoomSettings = z.infer<typeof roomSettingsSchema>

const wordsSchema = z.object({ en: z.string(), zh: z.string() })

export const roomModeSchema = z
  .object({
    name: z.string(),
    label: wordsSchema,
    icon: z.string(),
    description: wordsSchema,
    minAgents: z.int(),
    maxAgents: z.int(),
    options: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema of what `modeState` may say when the mode is set' }),
  })
  .meta({ id: 'RoomMode' })
export type RoomMode = z.infer<typeof roomModeSchema>

export const roomModeListSchema = z
  .object({ items: z.array(roomModeSchema), nextCursor: z.null() })
  .meta({ id: 'RoomModeList' })

export const setModeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    mode: z.string().min(1).max(100),
    modeState: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What the mode is to begin with; see its options' }),
  })
  .meta({ id: 'SetMode', description: 'Restarts the room, also in the same mode' })
export type SetMode = z.infer<typeof setModeSchema>

export const advanceSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    from: agentNameSchema.optional().meta({ description: `Who does it; default ${defaultHuman}` }),
    action: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What a person does, as the mode asks for it' }),
  })
  .meta({ id: 'Advance', description: 'Takes a room on: the next node, phase or question' })
export type Advance = z.infer<typeof advanceSchema>

export const muteSchema = z.strictObject({ scope: scopeSchema.optional(), agent: agentNameSchema })

export const askAgentSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    agent: agentNameSchema,
    from: agentNameSchema.optional().meta({ description: `Who asks; default ${defaultHuman}` }),
    whisper: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Said to this agent alone; what it answers is not for the other agents either' }),
  })
  .meta({ id: 'AskAgent', description: 'Asks one agent of a room, and no other' })
export type AskAgent = z.infer<typeof askAgentSchema>

export const regenerateSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    messageId: idSchema.meta({ description: 'What an agent answered' }),
    from: agentNameSchema.optional().meta({ description: `Who asks; default ${defaultHuman}` }),
  })
  .meta({ id: 'Regenerate', description: 'Asks an agent again, in a variant of the room' })
export type Regenerate = z.infer<typeof regenerateSchema>

/** Why those were asked, and not others. */
export const routingSchema = z
  .object({
    reason: z.enum(['mention', 'policy', 'agent_mention', 'mode', 'wake', 'asked', 'nobody']),
    text: z.string().meta({ description: 'The same in words' }),
    mentions: z.array(z.string()).meta({ description: 'Agents that were mentioned, in order' }),
    policy: z.enum(roomPolicies).optional(),
    phase: z.string().optional().meta({ description: 'Where the mode stands' }),
    left: z
      .array(z.object({ agent: z.string(), reason: z.string() }))
      .optional()
      .meta({ description: 'Who was called and is not asked, and why' }),
    stopped: z
      .enum(['hop_limit', 'cool_down', 'max_replies', 'max_turns', 'budget'])
      .optional()
      .meta({ description: 'What ended a chain of agents that call one another' }),
  })
  .meta({ id: 'Routing' })
export type Routing = z.infer<typeof routingSchema>

/** Somebody who was asked. Those of whom people who play must not know are left out until the end. */
export const roundTurnSchema = z
  .object({
    agent: z.string(),
    runId: z.string().optional(),
    sessionId: z.string().optional().meta({ description: 'The session of the agent in this room' }),
    private: z.literal(true).optional().meta({ description: 'What it says is not for all' }),
    status: z.enum(['asked', 'said', 'skipped', 'failed', 'stopped']),
    text: z.string().optional().meta({ description: 'What it said, when that is not in the log' }),
    whisper: z
      .object({ from: z.string(), text: z.string() })
      .optional()
      .meta({ description: 'What a person said to it alone' }),
    error: z.object({ code: z.string(), message: z.string().optional() }).optional(),
  })
  .meta({ id: 'RoundTurn' })
export type RoundTurn = z.infer<typeof roundTurnSchema>

export const roundSchema = z
  .object({
    runId: z.string(),
    number: z.int().positive().meta({ description: 'From 1 in each run' }),
    routing: routingSchema,
    turns: z.array(roundTurnSchema),
    messageIds: z.array(z.string()).meta({ description: 'What of it entered the log, in order' }),
    createdAt: timestampSchema,
    finishedAt: timestampSchema.optional(),
  })
  .meta({ id: 'Round' })
export type Round = z.infer<typeof roundSchema>

export const roundListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  run: idSchema.optional().meta({ description: 'Only those of this run' }),
  ...pageFields,
})

export const roundPageSchema = z
  .object({ items: z.array(roundSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'RoundPage', description: 'Newest first' })
export type RoundPage = z.infer<typeof roundPageSchema>

/** What a person is asked to do: the fields of the schema are those of `action`. */
export const playerAskSchema = z
  .object({
    human: z.string(),
    text: z.string(),
    content: z.string().optional().meta({ description: 'All that a yes would be said to' }),
    schema: z.record(z.string(), z.unknown()).optional().meta({ description: 'JSON Schema of `action`' }),
    byChat: z.literal(true).optional().meta({ description: 'Answered by saying something' }),
  })
  .meta({ id: 'PlayerAsk' })
export type PlayerAsk = z.infer<typeof playerAskSchema>

/** A room with all that a front end shows of it, as one person may see it. */
export const roomSchema = z
  .object({
    id: idSchema,
    mode: roomModeSchema,
    state: z.record(z.string(), z.unknown()).meta({ description: 'What all may know of the mode' }),
    settings: roomSettingsSchema,
    agents: z.array(agentSchema),
    missing: z.array(z.string()).meta({ description: 'Agents of the room that are not there any more' }),
    asks: z.array(playerAskSchema).meta({ description: 'What people are asked to do' }),
    player: z
      .object({
        name: z.string(),
        facts: z.array(z.string()).meta({ description: 'What this person knows beyond the rest' }),
        channel: z
          .array(z.object({ from: z.string(), text: z.string() }))
          .meta({ description: 'What was said where not all can hear, and this person can' }),
      })
      .optional(),
    sealed: z.boolean().meta({ description: 'A person plays: what is private stays so until the end' }),
    canAdvance: z.boolean(),
  })
  .meta({ id: 'Room' })
export type RoomRecord = z.infer<typeof roomSchema>

export const roomQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  as: agentNameSchema.optional().meta({ description: 'The person who looks; default the first that plays' }),
})

/** In the metadata of each message of a room. */
export interface RoomMessageMetadata {
  /** Who said it; none: the room itself. */
  agent?: string
  /** The person who said it. */
  from?: string
  /** Of which round it is. */
  round?: number
  /** What it replies to: the beginning of it, as it was then, and who said it; neither: the room itself. */
  replyTo?: { id: string; agent?: string; from?: string; text: string }
}

/** The body of a chat as it was before there were sessions; see docs/rooms.md. */
export const roomChatSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    message: z.string().min(1),
    thread_id: idSchema.optional().meta({ description: 'The session; a new one when left out' }),
    mode: z.string().min(1).max(100).optional(),
    role_config: z.record(z.string(), z.unknown()).optional(),
    thread_slug: z.string().min(1).max(64).optional(),
    project_id: z.string().min(1).max(64).optional().meta({ description: 'Another name of thread_slug' }),
  })
  .meta({ id: 'RoomChat' })
export type RoomChat = z.infer<typeof roomChatSchema>

const roomChatRowSchema = z.object({
  id: z.string(),
  sender: z.string(),
  sender_type: z.enum(['user', 'cat']),
  cat_name: z.string().nullable(),
  text: z.string(),
  ts: timestampSchema,
  provider: z.string().nullable(),
  model: z.string().nullable(),
  duration_ms: z.number().nullable(),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
  cost_usd: z.number().nullable(),
  error: z.string().optional(),
})

export const roomChatAnswerSchema = z
  .object({
    thread_id: z.string(),
    thread_slug: z.string().nullable(),
    mode: z.string(),
    mode_state: z.record(z.string(), z.unknown()),
    user_message: roomChatRowSchema,
    responses: z.array(roomChatRowSchema),
  })
  .meta({ id: 'RoomChatAnswer' })
export type RoomChatAnswer = z.infer<typeof roomChatAnswerSchema>

declare module '../../../core/protocol/facets.ts' {
  interface Wordings {
    agents_once: true
  }
}
