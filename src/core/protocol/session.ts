import { z } from 'zod'
import type { BgMetaFacets, PatchFacets, SessionFacets, ToolMetaFacets, TriggerFacets } from './facets.ts'
import {
  idSchema,
  labelSchema,
  listOf,
  nameListSchema,
  scopeSchema,
  timestampSchema,
  pageFields,
} from './names.ts'
import type { NewMessage } from './message.ts'
import { recordSettingsSchema } from './record.ts'
import type { Unsearched } from './search.ts'
import { threadSlugSchema } from './thread.ts'
import { parameterSettingsSchema } from './parameters.ts'
import { permissionModes, type RightsSchemas } from './permission.ts'
import { portableMemoSchema, windowSettingsSchema } from './window.ts'

export const sessionKinds = ['interactive', 'background', 'tool'] as const
export type SessionKind = (typeof sessionKinds)[number]

export const bgStatuses = [
  'pending',
  'running',
  'completed',
  'failed',
  'timeout',
  'cancelled',
  'interrupted',
] as const
export type BgStatus = (typeof bgStatuses)[number]

type Values<Fields extends z.ZodRawShape> = z.infer<z.ZodObject<Fields>>

const jsonObjectSchema = z.record(z.string(), z.unknown())

/** What starts background sessions in every Parley. */
export const coreTriggers = ['tool_spawn', 'api'] as const

/** What makes a session a background one: who started it, and within which bounds. */
export const bgMetaFields = {
  parentSessionId: idSchema.optional(),
  label: labelSchema.optional(),
  model: z.string().max(200).optional(),
  timeoutMs: z.int().positive().optional(),
  autoCleanup: z.boolean().optional(),
  announceTarget: idSchema.optional(),
  depth: z.int().nonnegative().optional(),
  source: z.string().max(100).optional(),
  sourceId: z.string().max(200).optional(),
}
export interface BgMeta extends Values<typeof bgMetaFields>, BgMetaFacets {
  triggerType: (typeof coreTriggers)[number] | keyof TriggerFacets
}

/** What makes a session a tool of the workbench, or that of a run. */
export const toolMetaFields = {
  source: z.string().min(1).max(100),
  label: labelSchema.optional(),
  depth: z.int().nonnegative().optional().meta({ description: 'How deep that run is in other runs' }),
}
export interface ToolMeta extends Values<typeof toolMetaFields>, ToolMetaFacets {}

export const checkpointSchema = z
  .object({
    id: z.string().min(1).max(200),
    messageSeq: z
      .int()
      .nonnegative()
      .meta({ description: 'The log held this many messages before the turn' }),
    userMessage: z.string(),
    completed: z.boolean(),
    fileChanges: z.array(jsonObjectSchema),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Checkpoint' })
export type Checkpoint = z.infer<typeof checkpointSchema>

/** Facets: what distinguishes one kind of session from another, all optional, all on one record. */
export const facetFields = {
  model: z.string().min(1).max(200).optional(),
  instructions: z.string().trim().min(1).max(100_000).optional().meta({
    description: 'What the assistant is to keep to in it; at most chat.maxInstructionsCharacters',
  }),
  parameters: parameterSettingsSchema.optional(),
  mode: z.string().min(1).max(100).optional(),
  modeState: jsonObjectSchema.optional(),
  thread: threadSlugSchema.optional().meta({ description: 'What it is grouped with' }),
  window: windowSettingsSchema.optional(),
  allowedTools: nameListSchema.optional(),
  allowedSkills: nameListSchema.optional(),
}

export const authorityFieldsOf = ({ rules, groups }: RightsSchemas) => ({
  permissionMode: z.enum(permissionModes).optional(),
  permissionRules: rules.optional(),
  toolGroups: groups.optional(),
  grantedPaths: listOf(z.string().min(1).max(4_096), 1_000, { type: 'string' }).optional(),
})
type AuthorityFields = ReturnType<typeof authorityFieldsOf>

export const backgroundFields = {
  bgStatus: z.enum(bgStatuses).optional(),
  startedAt: timestampSchema.optional().meta({ description: 'When its task began, the last time' }),
  finishedAt: timestampSchema.optional().meta({ description: 'When it ended; missing while it is not over' }),
  bgResult: z.string().optional(),
  bgStructuredData: z.string().optional(),
  bgArtifacts: z.array(z.string()).optional(),
  bgResultSource: z.enum(['tool', 'reminded', 'extracted', 'none']).optional(),
  bgDegraded: z.boolean().optional().meta({ description: 'The result was not submitted, only found' }),
}

export const taskProgressSchema = z
  .object({
    since: timestampSchema.meta({ description: 'When it began, or since when it waits for a place' }),
    steps: z.int().nonnegative().meta({ description: 'Model calls that are over' }),
    lastWords: z.string().optional().meta({ description: 'What it said last, its beginning' }),
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    waitsFor: z
      .array(
        z.object({
          approvalId: z.string(),
          toolName: z.string(),
          action: z.string(),
          since: timestampSchema,
        }),
      )
      .optional()
      .meta({ description: 'What a person has to decide before it continues' }),
  })
  .meta({ id: 'TaskProgress' })
export type TaskProgress = z.infer<typeof taskProgressSchema>

const forkedFromSchema = z.strictObject({
  sessionId: z.string(),
  messageId: z.string(),
  before: z.literal(true).optional().meta({ description: 'The message itself was left out' }),
})

/** What a record says before its facets, and after them. */
export const headFields = {
  id: idSchema,
  scope: scopeSchema,
  kind: z.enum(sessionKinds),
  title: labelSchema,
  llmSummary: z.string().optional(),
  chatStatus: z.enum(['idle', 'chatting']),
}
export const tailFields = {
  progress: taskProgressSchema
    .optional()
    .meta({ description: 'Of a background session that is not over; not filled in lists' }),
  wakes: z
    .object({
      count: z.int().nonnegative(),
      stoppedAt: timestampSchema.optional().meta({ description: 'None begins any more' }),
    })
    .optional()
    .meta({ description: 'Turns that began by themselves since somebody said something' }),
  record: recordSettingsSchema.optional(),
  parentId: idSchema.optional(),
  forkedFrom: forkedFromSchema.optional(),
  family: idSchema.optional().meta({
    description: 'Shared by a session and its variants: the id of the first of them, which may be gone',
  }),
  checkpoints: z
    .array(checkpointSchema)
    .optional()
    .meta({ description: 'The newest ones; not filled in lists' }),
  messageCount: z.int().nonnegative(),
  damaged: z
    .literal(true)
    .optional()
    .meta({ description: 'The stored record could not be read; its facets are missing' }),
  archivedAt: timestampSchema.optional(),
  archiveReason: z.string().optional(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
}
export interface Session
  extends
    Values<typeof headFields>,
    Values<typeof facetFields>,
    Values<AuthorityFields>,
    Values<typeof backgroundFields>,
    Values<typeof tailFields>,
    SessionFacets {
  toolMeta?: ToolMeta
  bgMeta?: BgMeta
}

export const createFields = {
  scope: scopeSchema.optional(),
  // background sessions begin with a prompt and are started by a run, never as an empty record
  kind: z.enum(['interactive', 'tool']).optional(),
  title: labelSchema.optional(),
}
export interface CreateSession
  extends
    Values<typeof createFields>,
    Values<typeof facetFields>,
    Omit<Values<AuthorityFields>, 'grantedPaths'>,
    SessionFacets {
  toolMeta?: ToolMeta
}

export const patchFields = {
  scope: scopeSchema.optional(),
  title: labelSchema.optional(),
  archived: z.boolean().optional(),
  archiveReason: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: 'Why it is archived; goes with archived' }),
  thread: facetFields.thread.nullable(),
  model: facetFields.model.nullable(),
  instructions: facetFields.instructions.nullable().meta({ description: 'Hold from the next turn' }),
  parameters: facetFields.parameters
    .nullable()
    .meta({ description: 'Replaces all that was set; holds for inputs that come after it' }),
  allowedTools: facetFields.allowedTools.nullable(),
  allowedSkills: facetFields.allowedSkills.nullable(),
}
export const patchAuthorityOf = (fields: AuthorityFields) => ({
  permissionMode: fields.permissionMode.nullable(),
  permissionRules: fields.permissionRules.nullable(),
  toolGroups: fields.toolGroups.nullable(),
  grantedPaths: fields.grantedPaths
    .nullable()
    .meta({ description: 'Files and folders elsewhere; what is left out is taken back' }),
})
export interface UpdateSession
  extends Values<typeof patchFields>, Values<ReturnType<typeof patchAuthorityOf>>, PatchFacets {}

export const sessionListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  kind: z.enum(sessionKinds).optional(),
  bgStatus: z.enum(bgStatuses).optional(),
  mode: z.string().max(100).optional(),
  thread: threadSlugSchema.optional(),
  parent: idSchema.optional(),
  roots: z.enum(['true', 'false']).optional().meta({ description: 'Only sessions without a parent' }),
  variants: z
    .enum(['newest', 'all'])
    .optional()
    .meta({ description: 'Of variants of one another: the one that changed last (default), or each' }),
  counts: z.enum(['true', 'false']).optional().meta({ description: 'Adds childCount to each item' }),
  archived: z.enum(['true', 'false', 'all']).optional().meta({ description: 'Default false' }),
  q: z.string().max(200).optional().meta({ description: 'Words of the title or of a message' }),
  ...pageFields,
})
export type SessionListQuery = z.infer<typeof sessionListQuerySchema>

export const childCountSchema = z
  .int()
  .nonnegative()
  .optional()
  .meta({ description: 'How many direct child sessions it has; with counts=true' })
export interface SessionListItem extends Session {
  childCount?: number
}
export interface SessionPage extends Unsearched {
  items: SessionListItem[]
  nextCursor: string | null
}

export const forkSessionSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    messageId: z.string().min(1).max(200).meta({ description: 'The last message the fork keeps' }),
    before: z.boolean().optional().meta({ description: 'Leaves out the message itself; default false' }),
    variant: z
      .boolean()
      .optional()
      .meta({ description: 'Makes it a variant of the original, which lists show as one; default false' }),
    title: labelSchema.optional(),
  })
  .meta({ id: 'ForkSession' })
export type ForkSession = z.infer<typeof forkSessionSchema>

export const variantListSchema = z
  .object({
    items: z.array(
      z.object({
        sessionId: z.string(),
        title: labelSchema,
        forkedFrom: forkedFromSchema.optional(),
        createdAt: timestampSchema,
        updatedAt: timestampSchema,
      }),
    ),
  })
  .meta({ id: 'VariantList', description: 'Oldest first; just the session itself when it has none' })
export type VariantList = z.infer<typeof variantListSchema>

/** What a session is outside of the store, before its facets and after them; see `SessionDocument`. */
export const documentHeadFields = {
  id: idSchema.optional(),
  kind: z.enum(sessionKinds).default('interactive'),
  title: labelSchema.default(''),
  llmSummary: z.string().optional(),
}
export const documentTailFields = {
  forkedFrom: forkedFromSchema.optional(),
  checkpoints: z.array(checkpointSchema).optional(),
  record: recordSettingsSchema.optional(),
  memo: portableMemoSchema.optional(),
  windowStart: z.int().positive().optional().meta({ description: 'The first message the model sees' }),
  archivedAt: timestampSchema.optional(),
  archiveReason: z.string().max(1_000).optional(),
  createdAt: timestampSchema.optional(),
  updatedAt: timestampSchema
    .optional()
    .meta({ description: 'When something happened in it last; without it, that is its import' }),
}
export interface DocumentSession
  extends
    Values<typeof documentHeadFields>,
    Values<typeof facetFields>,
    Values<typeof backgroundFields>,
    Values<typeof documentTailFields>,
    SessionFacets {
  toolMeta?: ToolMeta
  bgMeta?: BgMeta
}

/**
 * A session outside the store. What depends on the machine or grants power (scope, granted paths,
 * permission mode) is not part of it, so a document from a stranger can be imported safely.
 */
export interface SessionDocument {
  format: 'parley.session'
  version: 1
  session: DocumentSession
  messages: NewMessage[]
}

export const exportFormats = ['json', 'yaml', 'jsonl', 'markdown'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** In which many sessions can be one text. */
export const bulkFormats = ['jsonl', 'json'] as const
export type BulkFormat = (typeof bulkFormats)[number]

/** Sessions that one export can name; a URL does not hold more. */
export const maxSelected = 200
