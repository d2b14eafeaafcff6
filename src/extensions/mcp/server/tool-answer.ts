import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { ParleyError } from '../../../core/protocol/error.ts'

/** What a tool found, for programs and as text for models. */
export const toAnswer = (value: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
})

/** A refusal is passed on as it is; the details of a bug go to the log only. */
export async function refuseBugs<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ParleyError) throw error
    logger.error({ err: error }, 'unexpected error')
    throw new Error('Something unexpected failed; the log of the server has it.', { cause: error })
  }
}
