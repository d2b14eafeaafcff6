import { z } from 'zod'
import { invalidRequest } from '../core/protocol/error.ts'
import { misfit } from '../core/protocol/issues.ts'
import { requireCleanJson } from '../core/protocol/json.ts'
import { newMessageSchema, toParts } from '../core/protocol/message.ts'
import { recordSettingsSchema, type RecordSettings } from '../core/protocol/record.ts'
import type { MessageToAppend } from '../core/store/queries/messages.ts'

// what an export can hold, see formats/document.ts
const maxDepth = 1_000

export function checkMessages(messages: unknown): MessageToAppend[] {
  const result = z.array(newMessageSchema).safeParse(messages)
  if (!result.success)
    throw misfit(result.error, messages, {
      before: 'Messages are a list of {role, content} or {role, parts}.',
    })
  return toOwn(result.data).map(({ parts, content, ...message }) => ({
    ...message,
    parts: toParts({ parts, content }),
  }))
}

/** A copy as it will be read back from the store; refuses what no store or export can hold. */
function toOwn<T>(value: T): T {
  requireCleanJson(value, maxDepth)
  try {
    return JSON.parse(JSON.stringify(value)) as T
  } catch (error) {
    throw invalidRequest(`Only what JSON can express is kept: ${(error as Error).message}.`)
  }
}

export function checkRecordSettings(value: unknown): RecordSettings {
  const result = recordSettingsSchema.safeParse(value)
  if (!result.success) throw misfit(result.error, value)
  return result.data
}
