import { z } from 'zod'

/** What of an input or an answer enters the log, by paths such as `answer.text` or `answer/text`. */
export const recordPathsSchema = z.strictObject({
  paths: z.array(z.string().min(1).max(500)).min(1).max(100),
  /** `all` (default) takes every path that leads to something, `first` only the first of them. */
  mode: z.enum(['all', 'first']).optional(),
})
export type RecordPaths = z.infer<typeof recordPathsSchema>

export const recordSettingsSchema = z
  .strictObject({ input: recordPathsSchema.optional(), output: recordPathsSchema.optional() })
  .meta({
    id: 'RecordSettings',
    description: 'What of structured inputs and answers an agent of a program keeps in the log',
  })
export type RecordSettings = z.infer<typeof recordSettingsSchema>
