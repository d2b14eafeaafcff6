import { z } from 'zod'
import { askedTaskSchema } from '../protocol/background.ts'
import { partSchema, metadataSchema } from '../protocol/message.ts'
import { windowSettingsSchema } from '../protocol/window.ts'

const flag = z.boolean().optional()

const workflowContextSchema = z.strictObject({
  name: z.string(),
  runId: z.string(),
  step: z.string(),
  completed: z.int(),
  steps: z.array(z.string()),
  nextStep: z.string().optional(),
  outputs: z.array(z.strictObject({ step: z.string(), output: z.string() })),
  args: z.record(z.string(), z.unknown()),
})

/** What an agent of a room is told beside what was said there. */
const seatSchema = z.strictObject({
  agent: z.string(),
  /** The room, and how long its log was: what the agent changes is undone there. */
  roomId: z.string(),
  roomSeq: z.int(),
  persona: z.string(),
  peers: z.string(),
  rules: z.string(),
  /** Where the mode stands; sent again when it changed. */
  state: z.string().optional(),
  /** What it is to do now. */
  task: z.string().optional(),
  /** Its answer is one JSON object of this JSON Schema. */
  schema: z.record(z.string(), z.unknown()).optional(),
  /** Words without an object are this field of it. */
  textAs: z.string().optional(),
  /** How often it is asked again for that form. */
  repairs: z.int().nonnegative().optional(),
  withoutTools: flag,
})

/** What a turn is asked to do; stored with its run, so that another process can take it over. */
export const turnInputSchema = z.strictObject({
  message: z.strictObject({
    id: z.string(),
    parts: z.array(partSchema),
    metadata: metadataSchema.optional(),
  }),
  /** On whose behalf: a person, an agent, or a part of the system. */
  actor: z.strictObject({ type: z.enum(['user', 'agent', 'system']), source: z.string() }).optional(),
  model: z.string().optional(),
  thinking: flag,
  includeScopeContext: flag,
  fullContextTurns: z.int().positive().optional(),
  cachedContextTurns: z.int().positive().optional(),
  mcpEnabled: flag,
  /** Nobody is there to be asked: what would be asked is refused. */
  isHeadless: flag,
  fileRefs: z.array(z.string()).optional(),
  runRefs: z.array(z.string()).optional(),
  systemPreamble: z.string().optional(),
  /** Who the assistant is, in place of what Parley says of itself. */
  persona: z.string().optional(),
  /** Goes before what the session and the configuration say. */
  window: windowSettingsSchema.optional(),
  /** Input and answer enter the log together when the turn is completed; of another end it knows nothing. */
  recordsPair: flag,
  /** Began by itself, for results that waited; nothing is said when there are none any more. */
  isWake: flag,
  /** What makes the run of a background session one: how its result has to look and where it goes. */
  task: z
    .strictObject({
      label: z.string().optional(),
      outputSchema: z.record(z.string(), z.unknown()).optional(),
      asked: askedTaskSchema.optional(),
      /** The session that gets the result; none when somebody waits for it, or nobody cares. */
      deliverTo: z.string().optional(),
      /** That session had ended as a task already: it is talked to like a chat. */
      toEnded: flag,
      /** A model had it started, whatever it came by: its report counts among the turns that begin by themselves. */
      byModel: flag,
      /** It had ended before and was given more to do. */
      isContinued: flag,
      wake: flag,
      detached: flag,
      autoCleanup: flag,
    })
    .optional(),
  /** Where a step of a workflow stands in its run. */
  workflow: workflowContextSchema.optional(),
  /** Where a node stands in its plan, in words. */
  plan: z.string().optional(),
  /** Of the turn of an agent in a room. */
  seat: seatSchema.optional(),
  /** Of a room: who says it, or that nobody said anything. */
  room: z
    .strictObject({
      from: z.string().optional(),
      /** The message that it replies to. */
      replyTo: z.string().optional(),
      /** Somebody takes the room on. */
      advance: z
        .strictObject({
          action: z.record(z.string(), z.unknown()).optional(),
          /** One agent is asked alone; the message of the turn is a whisper then. */
          ask: z
            .strictObject({
              agent: z.string(),
              isWhisper: flag,
              /** The round in which it has answered already; what others said in it stays. */
              again: z.strictObject({ runId: z.string(), number: z.int() }).optional(),
            })
            .optional(),
        })
        .optional(),
      /** Results of tasks wait for this agent. */
      wakes: z.string().optional(),
    })
    .optional(),
  /** The part of the message whose references count, where some of it was written by models; default all of it. */
  referencesIn: z.string().optional(),
  /** Fewer model calls than there may be elsewhere. */
  maxSteps: z.int().positive().optional(),
  /** Skills whose whole text goes into the prompt, by name. */
  activeSkills: z.array(z.string()).optional(),
  workflowEditContext: z.string().optional(),
  promptInjection: z.string().optional(),
  tokenBudget: z.int().positive().optional(),
  skipMemory: flag,
  skipCheckpoint: flag,
  skipSummary: flag,
  skipPerRoundExtract: flag,
  skipNarrativeBatchExtract: flag,
  skipDocumentExtract: flag,
  skipSlashCommands: flag,
  skipChatStatus: flag,
})
export type TurnInput = z.infer<typeof turnInputSchema>
