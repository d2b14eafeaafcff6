import { ParleyError } from '../../protocol/error.ts'
import { defaultJsonDepth, isDeeperThan, requireCleanJson } from '../../protocol/json.ts'
import type { NewMessage, Part } from '../../protocol/message.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { documentDepth } from './document.ts'

/*
 * What models and tools answered is stored as it came, and some of it no import would take: NUL, half characters,
 * `__proto__`, nesting without end. An export holds what can be read again, so a session can always leave.
 */

export const toPortableMessage = (message: NewMessage): NewMessage => {
  const parts = message.parts?.some(hasDeepOutput) ? message.parts.map(withFlatOutput) : message.parts
  return toClean({ ...message, ...(parts && { parts }) })
}

export function toPortableSession(session: SessionDocument['session']): SessionDocument['session'] {
  const { bgMeta, toolMeta, ...rest } = toClean(session)
  return {
    ...rest,
    title: toLabel(rest.title),
    ...(bgMeta && { bgMeta: withLabel(bgMeta) }),
    ...(toolMeta && { toolMeta: withLabel(toolMeta) }),
  }
}

/** As deep as any request may nest what it appends; to the model it is the same text. */
const hasDeepOutput = ({ output }: Part) => isDeeperThan(output, defaultJsonDepth)
const withFlatOutput = (part: Part): Part =>
  hasDeepOutput(part) ? { ...part, output: JSON.stringify(part.output) } : part

const toLabel = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ')
const withLabel = <Meta extends { label?: string }>(meta: Meta): Meta =>
  meta.label === undefined ? meta : { ...meta, label: toLabel(meta.label) }

/** The same value where nothing is wrong with it, which is nearly always. */
function toClean<T>(value: T): T {
  try {
    requireCleanJson(value, documentDepth)
    return value
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return clean(value, documentDepth) as T
  }
}

function clean(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return cleanText(JSON.stringify(value))
  if (Array.isArray(value)) return value.map((item) => clean(item, levels - 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [cleanText(key), clean(inner, levels - 1)]),
  )
}

const cleanText = (text: string) => text.toWellFormed().replaceAll('\0', '')
