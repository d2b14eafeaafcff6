import { z } from 'zod'
import { scopeSchema, timestampSchema } from './names.ts'

export const windowPresets = ['last-20', 'last-10', 'rounds-4-3', 'unlimited'] as const
export const windowModes = ['lite', 'memo'] as const

// far beyond any model; a bound at all keeps sums of them exact
const maxLimit = 1_000_000_000
/** Zero is "no limit". */
const limitSchema = z.int().nonnegative().max(maxLimit)

/** A key of an earlier system: taken for a typing error it would be ignored, and nobody would notice. */
const renamed = (key: string) =>
  z
    .unknown()
    .optional()
    .refine((value) => value === undefined, {
      error: `this key is gone; use ${key}`,
      params: { rule: 'renamed', keys: [key] },
    })
    .meta({ deprecated: true, description: `Gone: use ${key}` })

const memoKeys = z.record(z.string().min(1).max(200), z.unknown())

/** What a session's window may be, in two levels: `mode`, `limit` and `every_n_turns` are all most people need. */
export const windowSettingsSchema = z
  .strictObject({
    mode: z
      .enum(windowModes)
      .optional()
      .meta({ description: 'lite: what leaves the window is only in the log. memo: it is summed up first' }),
    preset: z.enum(windowPresets).optional(),
    limit: z
      .strictObject({
        chars: limitSchema.optional(),
        messages: limitSchema.optional(),
        tokens: limitSchema.optional(),
      })
      .optional()
      .meta({ description: 'Goes before everything under "resize", whichever was set later' }),
    resize: z
      .strictObject({
        every_n_turns: limitSchema.optional(),
        max_messages_text_length: limitSchema.optional(),
        max_keep_messages_count: limitSchema.optional(),
        max_current_chars: renamed('limit.chars or resize.max_messages_text_length'),
        keep_last_messages: renamed('limit.messages or resize.max_keep_messages_count'),
      })
      .optional(),
    memo: z
      .strictObject({
        enabled: z.boolean().optional().meta({ description: 'Goes before what "mode" says' }),
        instruct: z.string().min(1).max(20_000).optional(),
        schema: memoKeys.optional().meta({ description: 'JSON Schema of the memo; an object' }),
        model: z.string().min(1).max(200).optional(),
        max_length: z.int().min(100).max(1_000_000).optional(),
        timeout_ms: z.int().min(100).max(3_600_000).optional(),
      })
      .optional(),
  })
  .meta({ id: 'WindowSettings' })
export type WindowSettings = z.infer<typeof windowSettingsSchema>

/** What is worth keeping of what left the window; its keys are those of the memo's schema. */
export const memoSchema = memoKeys.meta({ id: 'Memo' })
export type Memo = z.infer<typeof memoSchema>

export const memoAuthors = ['model', 'handler', 'user', 'undo', 'import'] as const

export const memoVersionSchema = z
  .object({
    version: z.int().nonnegative(),
    memo: memoSchema,
    pinned: z.array(z.string()).meta({ description: 'Keys that no update changes' }),
    throughSeq: z
      .int()
      .nonnegative()
      .meta({ description: 'Messages up to here are taken in; an undo takes this back too' }),
    author: z.enum(memoAuthors),
    model: z.string().optional(),
    fromSeq: z.int().optional().meta({ description: 'The first message this version took in' }),
    toSeq: z.int().optional(),
    sizeBefore: z.int().nonnegative(),
    sizeAfter: z.int().nonnegative(),
    createdAt: timestampSchema,
  })
  .meta({ id: 'MemoVersion' })
export type MemoVersion = z.infer<typeof memoVersionSchema>

const sizeSchema = z.object({ messages: z.int(), chars: z.int() })

export const resizeSchema = z
  .object({
    number: z.int().positive(),
    type: z.string(),
    reason: z.string(),
    severity: z.number(),
    outcome: z.enum(['resized', 'unchanged', 'failed']),
    message: z.string().optional().meta({ description: 'Why it failed, or what was left undone' }),
    before: sizeSchema,
    after: sizeSchema,
    startSeq: z.int().meta({ description: 'The first message of the window since' }),
    memoVersion: z.int().optional(),
    usage: z.unknown().optional().meta({ description: 'Tokens of the memo update' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Resize' })
export type Resize = z.infer<typeof resizeSchema>

/** What counts when all that is set is taken together. */
export const effectiveWindowSchema = z.object({
  mode: z.enum(windowModes),
  memo: z.boolean(),
  maxChars: z.int(),
  maxMessages: z.int(),
  maxTokens: z.int(),
  everyNTurns: z.int(),
  rounds: z.object({ keep: z.int(), drop: z.int() }).optional(),
})

export const windowViewSchema = z
  .object({
    settings: windowSettingsSchema.meta({ description: 'What is set on the session itself' }),
    effective: effectiveWindowSchema,
    startSeq: z.int(),
    messages: z.int(),
    chars: z.int(),
    tokens: z.int(),
    turnsSinceResize: z.int(),
    logMessages: z.int(),
    stopped: z.string().optional().meta({ description: 'Why the window is no longer resized by itself' }),
    resizes: z.array(resizeSchema).meta({ description: 'The newest first' }),
  })
  .meta({ id: 'WindowView' })
export type WindowView = z.infer<typeof windowViewSchema>

export const memoViewSchema = z
  .object({
    ...memoVersionSchema.shape,
    schema: z.unknown().meta({ description: 'JSON Schema that the memo keeps to' }),
    waiting: z.int().meta({ description: 'Messages that left the window and are not taken in yet' }),
    diff: z
      .array(z.object({ key: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }))
      .meta({ description: 'What this version changed' }),
  })
  .meta({ id: 'MemoView' })
export type MemoView = z.infer<typeof memoViewSchema>

export const memoVersionPageSchema = z
  .object({ items: z.array(memoVersionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'MemoVersionPage' })
export type MemoVersionPage = z.infer<typeof memoVersionPageSchema>

export const putWindowSchema = z
  .strictObject({ scope: scopeSchema.optional(), ...windowSettingsSchema.shape })
  .meta({ id: 'PutWindow', description: 'Replaces all that was set on the session' })
export type PutWindow = z.infer<typeof putWindowSchema>

export const putMemoSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    memo: memoSchema.optional(),
    pinned: z.array(z.string().min(1).max(200)).max(200).optional(),
    baseVersion: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'The version that was edited; refused when there is a newer one' }),
  })
  .meta({ id: 'PutMemo' })
export type PutMemo = z.infer<typeof putMemoSchema>

export const undoMemoSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    version: z.int().nonnegative().optional().meta({ description: 'Default: the one before the newest' }),
  })
  .meta({ id: 'UndoMemo' })
export type UndoMemo = z.infer<typeof undoMemoSchema>

export const resizeRequestSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    type: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'lite: back to 60 % of the limits. deep (default): down to the newest turn' }),
  })
  .meta({ id: 'ResizeRequest' })
export type ResizeRequest = z.infer<typeof resizeRequestSchema>

/** A memo outside the store, as part of a session document. */
export const portableMemoSchema = z.strictObject({
  memo: memoSchema,
  pinned: z.array(z.string().min(1).max(200)).max(200).optional(),
  throughSeq: z.int().nonnegative(),
})
