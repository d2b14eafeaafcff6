import { z } from 'zod'
import { idSchema, labelSchema, listOf, scopeSchema, timestampSchema, pageFields } from './names.ts'
import { newMessageSchema } from './message.ts'
import { recordSettingsSchema } from './record.ts'
import { roomAgentNamesSchema, roomSettingsSchema } from '../../extensions/room/protocol/room.ts'
import { threadSlugSchema } from './thread.ts'
import { groupSwitchesSchema, permissionModes, permissionRulesSchema } from './permission.ts'
import { portableMemoSchema, windowSettingsSchema } from './window.ts'
import { workflowTriggers } from '../../extensions/workflow/protocol/workflow.ts'

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

const jsonObjectSchema = z.record(z.string(), z.unknown())
const nameListSchema = listOf(z.string().min(1).max(200), 1_000, { type: 'string' })

export const memoryPolicySchema = z
  .strictObject({
    skipPerRoundExtract: z
      .boolean()
      .optional()
      .meta({ description: 'Learns nothing of each turn; default true' }),
    skipNarrativeBatchExtract: z
      .boolean()
      .optional()
      .meta({ description: 'Learns nothing of stretches of the conversation; default true' }),
    skipDocumentExtract: z
      .boolean()
      .optional()
      .meta({ description: 'Looks at no documents that were changed; default false' }),
    skipConversationSummary: z.boolean().optional().meta({ description: 'Makes no title; default true' }),
  })
  .meta({ id: 'MemoryPolicy', description: 'What a background session leaves out when it is done' })

/** What makes a session a background one: who started it, and within which bounds. */
export const bgMetaSchema = z
  .strictObject({
    triggerType: z.enum(['tool_spawn', 'api', 'cron', 'event_hook', 'workflow', 'plan']),
    parentSessionId: idSchema.optional(),
    label: labelSchema.optional(),
    model: z.string().max(200).optional(),
    timeoutMs: z.int().positive().optional(),
    autoCleanup: z.boolean().optional(),
    announceTarget: idSchema.optional(),
    memoryPolicy: memoryPolicySchema.optional(),
    skipMemory: z.boolean().optional().meta({ description: 'It is told nothing that is remembered' }),
    depth: z.int().nonnegative().optional(),
    source: z.string().max(100).optional(),
    sourceId: z.string().max(200).optional(),
    workspaceDir: z.string().max(4_096).optional(),
    persistentWorkspaceDir: z.string().max(4_096).optional(),
  })
  .meta({ id: 'BgMeta' })
export type BgMeta = z.infer<typeof bgMetaSchema>

/** What makes a session a tool of the workbench, such as the one that edits a workflow. */
export const toolMetaSchema = z
  .strictObject({
    source: z.string().min(1).max(100),
    label: labelSchema.optional(),
    workflowDefId: z.string().max(200).optional(),
    workflowName: z.string().max(200).optional(),
    persistentWorkspaceDir: z.string().max(4_096).optional(),
    runWorkspaceDir: z.string().max(4_096).optional(),
    runId: idSchema.optional().meta({ description: 'The run of a workflow whose session it is' }),
    triggerType: z.enum(workflowTriggers).optional().meta({ description: 'What started that run' }),
    depth: z.int().nonnegative().optional().meta({ description: 'How deep that run is in other runs' }),
  })
  .meta({ id: 'ToolMeta' })

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

// folders on this machine are the runtime's to choose: no caller sets them, no document carries them
const ownFolders = { workspaceDir: true, persistentWorkspaceDir: true } as const
const givenToolMetaSchema = toolMetaSchema.omit({
  persistentWorkspaceDir: true,
  runWorkspaceDir: true,
  // a session of a run is made by the run
  runId: true,
  triggerType: true,
  depth: true,
})

/** Facets: what distinguishes one kind of session from another, all optional, all on one record. */
const facetFields = {
  model: z.string().min(1).max(200).optional(),
  mode: z.string().min(1).max(100).optional(),
  modeState: jsonObjectSchema.optional(),
  agents: roomAgentNamesSchema
    .optional()
    .meta({ description: 'Makes it a room: the agents that are in it, by name' }),
  room: roomSettingsSchema.optional(),
  thread: threadSlugSchema.optional().meta({ description: 'What it is grouped with' }),
  planId: idSchema.optional(),
  window: windowSettingsSchema.optional(),
  toolMeta: toolMetaSchema.optional(),
  allowedTools: nameListSchema.optional(),
  allowedSkills: nameListSchema.optional(),
  allowedMcpServerIds: nameListSchema.optional(),
}

const authorityFields = {
  permissionMode: z.enum(permissionModes).optional(),
  permissionRules: permissionRulesSchema.optional(),
  toolGroups: groupSwitchesSchema.optional(),
  grantedPaths: listOf(z.string().min(1).max(4_096), 1_000, { type: 'string' }).optional(),
}

const backgroundFields = {
  bgMeta: bgMetaSchema.optional(),
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
      .meta({ description: 'What a person has to decide before it goes on' }),
  })
  .meta({ id: 'TaskProgress' })
export type TaskProgress = z.infer<typeof taskProgressSchema>

const forkedFromSchema = z.strictObject({
  sessionId: z.string(),
  messageId: z.string(),
  before: z.literal(true).optional().meta({ description: 'The message itself was left out' }),
})

export const sessionSchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    kind: z.enum(sessionKinds),
    title: labelSchema,
    llmSummary: z.string().optional(),
    chatStatus: z.enum(['idle', 'chatting']),
    ...facetFields,
    ...authorityFields,
    ...backgroundFields,
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
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof sessionSchema>

export const createSessionSchema = z
  .strictObject(
    {
      scope: scopeSchema.optional(),
      // background sessions begin with a prompt and are started by a run, never as an empty record
      kind: z.enum(['interactive', 'tool']).optional(),
      title: labelSchema.optional(),
      ...facetFields,
      toolMeta: givenToolMetaSchema.optional(),
      permissionMode: authorityFields.permissionMode,
      permissionRules: authorityFields.permissionRules,
      toolGroups: authorityFields.toolGroups,
    },
    {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' && keys?.includes('prompt')
          ? 'a "prompt" is for a session of the kind "background"; others are talked to by chat'
          : undefined,
    },
  )
  .meta({ id: 'CreateSession' })
export type CreateSession = z.infer<typeof createSessionSchema>

export const updateSessionSchema = z
  .strictObject({
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
    agents: roomAgentNamesSchema
      .optional()
      .meta({ description: 'Of a room; takes effect with the next input' }),
    room: facetFields.room.nullable(),
    thread: facetFields.thread.nullable(),
    model: facetFields.model.nullable(),
    planId: facetFields.planId.nullable().meta({ description: 'The plan that it talks about' }),
    allowedTools: facetFields.allowedTools.nullable(),
    allowedSkills: facetFields.allowedSkills.nullable(),
    allowedMcpServerIds: facetFields.allowedMcpServerIds.nullable(),
    permissionMode: authorityFields.permissionMode.nullable(),
    permissionRules: authorityFields.permissionRules.nullable(),
    toolGroups: authorityFields.toolGroups.nullable(),
    grantedPaths: authorityFields.grantedPaths
      .nullable()
      .meta({ description: 'Files and folders elsewhere; what is left out is taken back' }),
  })
  .meta({ id: 'UpdateSession', description: 'null takes a value away' })
export type UpdateSession = z.infer<typeof updateSessionSchema>

export const sessionListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  kind: z.enum(sessionKinds).optional(),
  bgStatus: z.enum(bgStatuses).optional(),
  mode: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'The name of one; * any but plan, empty none or plan' }),
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

export const sessionListItemSchema = sessionSchema
  .extend({
    childCount: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'How many direct child sessions it has; with counts=true' }),
  })
  .meta({ id: 'SessionListItem' })
export type SessionListItem = z.infer<typeof sessionListItemSchema>

export const sessionPageSchema = z
  .object({ items: z.array(sessionListItemSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'SessionPage' })
export type SessionPage = z.infer<typeof sessionPageSchema>

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

/**
 * A session outside the store. What depends on the machine or grants power (scope, granted paths,
 * permission mode) is not part of it, so a document from a stranger can be imported safely.
 */
export const sessionDocumentSchema = z
  .strictObject({
    format: z.literal('parley.session'),
    version: z.literal(1),
    session: z.strictObject({
      id: idSchema.optional(),
      kind: z.enum(sessionKinds).default('interactive'),
      title: labelSchema.default(''),
      llmSummary: z.string().optional(),
      ...facetFields,
      toolMeta: givenToolMetaSchema.optional(),
      ...backgroundFields,
      bgMeta: bgMetaSchema.omit(ownFolders).optional(),
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
    }),
    messages: z.array(newMessageSchema),
  })
  .meta({ id: 'SessionDocument' })
export type SessionDocument = z.infer<typeof sessionDocumentSchema>

export const exportFormats = ['json', 'yaml', 'jsonl', 'markdown'] as const
export type ExportFormat = (typeof exportFormats)[number]
