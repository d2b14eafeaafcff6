import { z } from 'zod'

/** How an import of a whole file ended, and how far it is. */

const outcomeSchema = z.enum(['added', 'extended', 'unchanged']).meta({
  description:
    'Whether it is new here, got messages that the file has beyond those here, or was left as it is',
})
export type ImportOutcome = z.infer<typeof outcomeSchema>

const countsShape = {
  added: z.int().nonnegative(),
  extended: z.int().nonnegative(),
  unchanged: z.int().nonnegative(),
}

/** The most sessions and failures that a report lists; it counts all of them. */
export const maxReported = 500

export const importReportSchema = z
  .object({
    formats: z.array(z.string()).meta({ description: 'What the file is; an archive may hold several' }),
    conversations: z.int().nonnegative().meta({ description: 'How many the file holds' }),
    sessions: z.object(countsShape).meta({ description: 'Each branch of a conversation is a session' }),
    messages: z.int().nonnegative().meta({ description: 'Stored by this import' }),
    failed: z.int().nonnegative().meta({ description: 'Conversations that could not be read or stored' }),
    items: z
      .array(
        z.object({
          sessionId: z.string(),
          title: z.string(),
          messageCount: z.int().nonnegative(),
          outcome: outcomeSchema,
          family: z.string().optional(),
        }),
      )
      .meta({ description: `The first ${maxReported} sessions` }),
    failures: z
      .array(z.object({ place: z.string(), title: z.string(), reason: z.string() }))
      .meta({ description: `The first ${maxReported} that failed` }),
    notes: z
      .array(z.object({ kind: z.string(), count: z.int().positive(), text: z.string() }))
      .meta({ description: 'What has no equal here, by kind' }),
  })
  .meta({ id: 'ImportReport' })
export type ImportReport = z.infer<typeof importReportSchema>

const importProgressSchema = z
  .object({
    conversations: z.int().nonnegative(),
    done: z.int().nonnegative(),
    sessions: z.object(countsShape),
    messages: z.int().nonnegative(),
    failed: z.int().nonnegative(),
  })
  .meta({ id: 'ImportProgress' })
export type ImportProgress = z.infer<typeof importProgressSchema>
