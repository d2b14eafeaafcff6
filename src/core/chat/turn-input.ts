import type { AskedTask } from '../protocol/background.ts'
import type { CallerTool } from '../protocol/awaited-call.ts'
import type { ToolChoice } from '../models/adapter.ts'
import type { InputFacets } from '../protocol/facets.ts'
import type { Part } from '../protocol/message.ts'
import type { OutputForm } from '../protocol/output.ts'
import type { ModelParameters, ParameterSettings } from '../protocol/parameters.ts'
import type { WindowSettings } from '../protocol/window.ts'

/** What a turn is asked to do; stored with its run, so that another process can take it over. */
export interface TurnInput extends InputFacets {
  message: { id: string; parts: Part[]; metadata?: Record<string, unknown> }
  /** On whose behalf: a person, an agent, or a part of the system. */
  actor?: { type: 'user' | 'agent' | 'system'; source: string }
  model?: string
  thinking?: boolean
  /** Takes precedence over the session, its scope and the configuration. */
  parameters?: ParameterSettings
  /** What its models are asked with, since it began: with what was set elsewhere then, whatever is set now. */
  heldParameters?: ModelParameters
  /** The form of its answer: JSON Schema of an object. */
  output?: OutputForm
  includeScopeContext?: boolean
  fullContextTurns?: number
  cachedContextTurns?: number
  /** Nobody is there to be asked: what would be asked is refused. */
  isHeadless?: boolean
  fileRefs?: string[]
  runRefs?: string[]
  /** Tools that whoever sent the input executes. */
  callerTools?: CallerTool[]
  /** False: no others. */
  hasBuiltInTools?: boolean
  /** Of its first model call: whether a tool has to be called, and which. Default: as the model likes. */
  toolChoice?: ToolChoice
  /** False: of several calls in one step the first is made. */
  hasParallelCalls?: boolean
  /** What was answered to the message already, somewhere else: the turn continues after it. */
  priorParts?: Part[]
  /** Of a caller who continues a turn by sending all of it again: what it began with. */
  requestHash?: string
  systemPreamble?: string
  /** Who the assistant is, in place of Parley's own introduction. */
  persona?: string
  /** Takes precedence over the session and the configuration. */
  window?: WindowSettings
  /** Input and answer enter the log together when the turn is completed; of another end it knows nothing. */
  recordsPair?: boolean
  /** Began by itself, for results that waited; there is no reply when there are none any more. */
  isWake?: boolean
  task?: TaskInput
  /** The part of the message whose references count, where some of it was written by models; default all of it. */
  referencesIn?: string
  /** Fewer model calls than there may be elsewhere. */
  maxSteps?: number
  /** Skills whose whole text goes into the prompt, by name. */
  activeSkills?: string[]
  promptInjection?: string
  tokenBudget?: number
  skipCheckpoint?: boolean
  skipSummary?: boolean
  skipSlashCommands?: boolean
  skipChatStatus?: boolean
}

/** What makes the run of a background session one: the form of its result and where it goes. */
interface TaskInput {
  label?: string
  outputSchema?: Record<string, unknown>
  asked?: AskedTask
  /** The session that gets the result; none when somebody waits for it, or nobody cares. */
  deliverTo?: string
  /** That session had ended as a task already: it is talked to like a chat. */
  toEnded?: boolean
  /** A model had it started, whatever it came by: its report counts among the turns that begin by themselves. */
  byModel?: boolean
  /** It had ended before and was given more to do. */
  isContinued?: boolean
  wake?: boolean
  detached?: boolean
  autoCleanup?: boolean
}
