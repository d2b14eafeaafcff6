import type { z } from 'zod'

/** Something a model can do. What it returns is data for the model; what it throws is told to the model as an error. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** Default 60,000. */
  readonly timeoutMs?: number
  /** True when doing it twice is the same as doing it once; only then it is repeated after a crash. */
  readonly isIdempotent?: boolean
  execute(input: Input, context: ToolContext): Promise<unknown>
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
