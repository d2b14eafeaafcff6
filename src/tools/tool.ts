import type { z } from 'zod'

/** Something a model can do. What it returns is data for the model; what it throws is told to the model as an error. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  /** What it belongs to, for those who look at a list of tools. */
  readonly group?: string
  readonly input: z.ZodType<Input>
  /** JSON Schema of the input where it cannot be told from `input`. */
  readonly inputSchema?: Record<string, unknown>
  /** Default 60,000. */
  readonly timeoutMs?: number
  /** True when doing it twice is the same as doing it once; only then it is repeated after a crash. */
  readonly isIdempotent?: boolean
  /** True when the turn is over with it: the model is not asked again. */
  readonly endsTurn?: boolean
  /** The tool as it is in one turn; undefined where it is not offered. Default: as it is everywhere. */
  forTurn?(turn: TurnFacts): Tool | undefined
  execute(input: Input, context: ToolContext): Promise<unknown>
}

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
  signal: AbortSignal
}

/** Keeps the types of a tool's input together with its schema. */
export const defineTool = <Input>(tool: Tool<Input>): Tool => tool as Tool
