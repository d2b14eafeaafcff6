import { z } from 'zod'

export const roles = ['wolf', 'seer', 'witch', 'villager'] as const
export type Role = (typeof roles)[number]

/** The night is three phases, so that the witch knows whom the wolves chose; all have the same history. */
const phases = [
  'lobby',
  'night_wolf',
  'night_seer',
  'night_witch',
  'day_discuss',
  'day_vote',
  'ended',
] as const

export const werewolfOptionsSchema = z.strictObject({
  roles: z
    .strictObject({
      wolves: z.int().min(1).max(10).optional().meta({ description: 'Default a third of the players' }),
      seer: z.int().min(0).max(1).optional().meta({ description: 'Default 1' }),
      witch: z.int().min(0).max(1).optional().meta({ description: 'Default 1' }),
    })
    .optional(),
  seed: z.int().nonnegative().optional().meta({ description: 'Same seed and players, same roles' }),
  revote: z.boolean().default(true).meta({ description: 'A tie is voted on once more, among the tied' }),
  revealOnDeath: z.boolean().default(true).meta({ description: 'The role of the dead is revealed at once' }),
  discussion: z.enum(['in_order', 'parallel']).default('in_order'),
  discussionRounds: z.int().min(1).max(3).default(1).meta({ description: 'How often each speaks in a day' }),
  wolfChatRounds: z
    .int()
    .min(0)
    .max(3)
    .default(1)
    .meta({ description: 'How often wolves tell one another whom they want before they choose' }),
  maxRounds: z.int().min(1).max(20).default(20).meta({ description: 'Without a winner by then nobody wins' }),
})

const playerSchema = z.string()

/** What a player did in this step of the phase; without a target: nothing. */
const actSchema = z.object({
  player: playerSchema,
  target: playerSchema.optional(),
  item: z.enum(['antidote', 'poison']).optional(),
  text: z.string().optional(),
})
export type Act = z.infer<typeof actSchema>

const nightSchema = z.object({
  round: z.int(),
  /** Whom the wolves chose. */
  victim: playerSchema.optional(),
  check: z.object({ target: playerSchema, isWolf: z.boolean() }).optional(),
  /** The witch saved the victim. */
  isSaved: z.boolean().optional(),
  poisoned: playerSchema.optional(),
})
export type Night = z.infer<typeof nightSchema>

const voteSchema = z.object({
  round: z.int(),
  /** 2: among those who were tied. */
  attempt: z.int(),
  ballots: z.array(z.object({ player: playerSchema, target: playerSchema.optional() })),
  out: playerSchema.optional(),
  tied: z.array(playerSchema).optional(),
})
export type Vote = z.infer<typeof voteSchema>

const deathSchema = z.object({ player: playerSchema, round: z.int(), cause: z.enum(['night', 'vote']) })
export type Death = z.infer<typeof deathSchema>

export const werewolfStateSchema = z.object({
  phase: z.enum(phases),
  /** One night and the day after it; 0 before the game. */
  round: z.int(),
  /** Within the phase, from 1: rounds of talk, the second vote. */
  step: z.int(),
  seed: z.int(),
  options: werewolfOptionsSchema,
  players: z.array(playerSchema),
  humans: z.array(playerSchema),
  roles: z.record(playerSchema, z.enum(roles)),
  alive: z.array(playerSchema),
  witch: z.object({ antidote: z.boolean(), poison: z.boolean() }).meta({ description: 'What she still has' }),
  /** Agents that were asked and have not answered yet. */
  asked: z.array(playerSchema),
  acts: z.array(actSchema),
  /** The private messages of the wolves. */
  channel: z.array(
    z.object({ round: z.int(), from: playerSchema, text: z.string(), target: playerSchema.optional() }),
  ),
  nights: z.array(nightSchema),
  votes: z.array(voteSchema),
  deaths: z.array(deathSchema),
  winner: z.enum(['village', 'wolves', 'nobody']).optional(),
})
export type WerewolfState = z.infer<typeof werewolfStateSchema>
export type Winner = NonNullable<WerewolfState['winner']>

export const isNight = (state: WerewolfState) => state.phase.startsWith('night')
