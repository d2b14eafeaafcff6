import { z } from 'zod'
import { labelSchema } from '../../../../core/protocol/names.ts'

export const quizOptionsSchema = z.strictObject({
  topic: labelSchema.min(1).max(200).optional().meta({ description: 'Default programming' }),
  rounds: z.int().min(1).max(50).optional().meta({ description: 'Questions; default one of each agent' }),
  auto: z
    .boolean()
    .default(true)
    .meta({ description: 'Continues with the next question by itself; false: waits after each' }),
  seed: z
    .int()
    .nonnegative()
    .optional()
    .meta({ description: 'Same seed and agents, same order of questioners' }),
})

export const questionSchema = z.object({
  question: z.string().trim().min(1).max(4_000),
  kind: z.enum(['choice', 'fill_in', 'open']),
  options: z.array(z.string().trim().min(1).max(500)).max(8).optional(),
  answer: z.string().trim().min(1).max(4_000),
  explanation: z.string().trim().max(4_000).optional(),
})
/** With its answer: not for those who are to find it. */
export type Question = z.infer<typeof questionSchema>

const givenAnswerSchema = z.object({
  player: z.string(),
  /** None: the player did not answer. */
  text: z.string().optional(),
  /** What an agent said to it. */
  words: z.string().optional(),
  /** It was a public message in the room. */
  isHeard: z.literal(true).optional(),
})
export type GivenAnswer = z.infer<typeof givenAnswerSchema>

const markSchema = z.object({
  player: z.string(),
  answer: z.string().optional(),
  points: z.number(),
  reason: z.string(),
})
export type Mark = z.infer<typeof markSchema>

/** The result of a round; without a question: the questioner lost the turn. */
const resultSchema = z.object({
  round: z.int(),
  questioner: z.string(),
  question: questionSchema.optional(),
  marks: z.array(markSchema),
})

export const quizStateSchema = z.object({
  phase: z.enum(['lobby', 'question', 'answers', 'judge', 'between', 'ended']),
  topic: z.string(),
  /** From 1; 0 before the quiz. */
  round: z.int(),
  rounds: z.int(),
  auto: z.boolean(),
  players: z.array(z.string()),
  humans: z.array(z.string()),
  /** Agents in the order in which they ask. */
  questioners: z.array(z.string()),
  /** Agents that were asked and have not answered yet. */
  asked: z.array(z.string()),
  /** They were asked by a person, outside the quiz. */
  isAside: z.boolean(),
  question: questionSchema.optional(),
  answers: z.array(givenAnswerSchema),
  scores: z.record(z.string(), z.number()),
  results: z.array(resultSchema),
})
export type QuizState = z.infer<typeof quizStateSchema>

export const questionerOf = ({ questioners, round }: QuizState) =>
  questioners[(round - 1) % questioners.length]!
