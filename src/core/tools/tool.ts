import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { z } from 'zod'
import type { Location, Workspaces } from '../files/workspaces.ts'
import type { Part } from '../protocol/message.ts'
import type { ApprovalFacets } from '../protocol/facets.ts'
import type { StoreOperations } from '../store/store.ts'
import { inputSchemaOf, isZod, toZodInput } from './tool-schemas.ts'

/** Something a model can do. What it returns is data for the model; what it throws reaches the model as an error. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  /** What it belongs to, for lists of tools. */
  readonly group?: string
  /**
   * How models get to know it: `whole`, with its description and schema in every prompt, or by a `line`, the first sentence
   * of its description, unless the session names it. Default: whole, unless the tools of its group that leave it open
   * take too much of a prompt together.
   */
  readonly offered?: 'whole' | 'line'
  /** True where another program does it, and names it: figures have it by its group. */
  readonly isForeign?: boolean
  readonly input: z.ZodType<Input>
  /** JSON Schema of the input where it cannot be derived from `input`. */
  readonly inputSchema?: Record<string, unknown>
  /** Default 60,000. */
  readonly timeoutMs?: number
  /** True when doing it twice is the same as doing it once; only then it is repeated after a crash. */
  readonly isIdempotent?: boolean
  /** True where its results come from outside of the turn, which waits for them; then it is never executed here. */
  readonly isAwaited?: boolean
  /** True when it ends the turn: the model is not called again. */
  readonly endsTurn?: boolean
  /** True when tasks of the session may be running after it. */
  readonly startsTasks?: boolean
  /**
   * What a call would do, determined before it is made: permissions decide about it. Without it only rules that name the
   * tool concern the call. Must not do anything yet, and must not throw for an input that fits.
   */
  access?(input: Input, workspaces: Workspaces): Access
  /**
   * Throws where the call would fail even with approval, such as for a thing that is not there: then nobody is asked.
   * Changes nothing.
   */
  check?(tx: StoreOperations, input: Input, place: Pick<ToolContext, 'scope' | 'sessionId'>): Promise<void>
  /** What a call would do, for the person who is asked about it. Throws when it could not be made anyway. */
  preview?(input: Input, place: Pick<ToolContext, 'scope' | 'sessionId'>): Promise<ApprovalFacets | undefined>
  /** The tool as it is in one turn; undefined where it is not offered. Default: as it is everywhere. */
  forTurn?(turn: TurnFacts): Tool | undefined
  execute(input: Input, context: ToolContext): Promise<unknown>
}

/** What a call of a tool would do. */
export interface Access {
  /** What rules call it: `read`, `write`, `delete`, `execute`, `fetch` and so on. */
  action: string
  /** `read` changes nothing here; `network` leaves the machine. */
  effect: 'read' | 'write' | 'execute' | 'network'
  /** What it touches: absolute paths, a command, a URL. Patterns of rules are held against these. */
  resources: readonly string[]
  /** Those of the resources that are paths in no workspace; they need a grant first. */
  outside?: readonly string[]
  /** Those of the resources that are files whose text it shows or changes: the rules for such files are announced. */
  opens?: readonly string[]
  /** Why a person has to be asked, whatever mode, rules and remembered answers decide; where nobody can be, it is refused. */
  mustAsk?: string
}

/** What a call would do. For a tool that does not declare it, rules apply by its name. */
export const accessOf = (tool: Tool, input: unknown, workspaces: Workspaces): Access =>
  tool.access?.(input, workspaces) ?? { action: actionOf(input), effect: 'read', resources: [] }

const actionOf = (input: unknown) =>
  typeof input === 'object' && input !== null && 'action' in input ? String(input.action) : 'call'

/** What a tool may know of the turn it is offered in. */
export interface TurnFacts {
  kind: string
  /** JSON Schema of the result that the turn has to submit. */
  outputSchema?: Record<string, unknown>
  isTask: boolean
}

export interface ToolContext {
  scope: string
  sessionId: string
  runId: string
  /** The same for every try of one call: a key for effects outside. */
  toolCallId: string
  /** Where it may work with files, as of now. */
  workspaces: Workspaces
  /** The parts of the turn so far; not known for a call that is made outside of one. */
  parts?: readonly Part[]
  /** Called before something is changed, so that the turn can be undone. */
  changes?: ChangeRecorder
  /** What a person was shown of the call and approved. */
  agreed?: ApprovalFacets
  /** Whether the call may continue to another address than the one that was decided about. Default: it may. */
  mayContinue?(address: string): Promise<boolean>
  signal: AbortSignal
}

/** Keeps what was there before a turn changed it. The first call for a thing counts. */
export interface ChangeRecorder {
  /** Before the file at this path, which may not be there yet, is written, moved or deleted. */
  keepFile(location: Location): Promise<void>
  /**
   * Before another thing is written or deleted, in the transaction that does so: what was found of it, undefined when it was
   * not there. The restorer of that kind brings it back (`ExtensionHooks`).
   */
  keep(tx: StoreOperations, kind: string, name: string, found: unknown): Promise<void>
}

/** A tool as a program may write it: its input in any library that keeps to Standard Schema. */
export interface ToolDefinition<Input = unknown> extends Omit<Tool<Input>, 'input' | 'forTurn' | 'execute'> {
  /** zod 4 as it is; any other with `inputSchema`, unless the schema itself has a JSON Schema. */
  readonly input: StandardSchemaV1<unknown, Input>
  /** The tool as it is in one turn; undefined where it is not offered. Default: as it is everywhere. */
  forTurn?(turn: TurnFacts): ToolDefinition | undefined
  /** Left out: the turn waits until the program gives the result with `toolCalls.answer`. */
  execute?(input: Input, context: ToolContext): Promise<unknown>
}

/** Keeps the types of a tool's input together with its schema. */
export const defineTool = <Input>(tool: ToolDefinition<Input>): Tool => toTool(tool as ToolDefinition)

/** The same tool where its input is in zod already. */
export const toTool = (tool: ToolDefinition): Tool =>
  isZod(tool.input) && tool.execute
    ? (tool as Tool)
    : copyTool(tool, { input: toZodInput(tool.name, tool.input), inputSchema: inputSchemaOf(tool) })

/** What stands in for the execution of a tool whose results come from outside. */
export async function refuseToExecute(): Promise<never> {
  throw new Error('The results of this tool come from whoever brought it.')
}

/** With something else in it; methods of an object of a class stay methods of that object. */
export const copyTool = (tool: ToolDefinition, changes: Pick<Tool, 'input'> & Partial<Tool>): Tool => ({
  name: tool.name,
  description: tool.description,
  group: tool.group,
  offered: tool.offered,
  isForeign: tool.isForeign,
  inputSchema: tool.inputSchema,
  timeoutMs: tool.timeoutMs,
  isIdempotent: tool.isIdempotent,
  endsTurn: tool.endsTurn,
  startsTasks: tool.startsTasks,
  ...(tool.access && { access: (...given) => tool.access!(...given) }),
  ...(tool.check && { check: (...given) => tool.check!(...given) }),
  ...(tool.preview && { preview: (...given) => tool.preview!(...given) }),
  ...(tool.forTurn && { forTurn: (turn) => toTurnTool(tool.forTurn!(turn)) }),
  ...(tool.execute ? { execute: (...given) => tool.execute!(...given) } : { execute: refuseToExecute }),
  isAwaited: tool.isAwaited ?? !tool.execute,
  ...changes,
})

const toTurnTool = (tool: ToolDefinition | undefined) => tool && toTool(tool)
