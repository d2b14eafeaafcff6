import type { Part } from '../../protocol/message.ts'
import { estimateTokens } from '../../shared/estimate-tokens.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'

export type Measured = Pick<WindowMessage, 'role' | 'parts' | 'context'>

/** Characters of a message as the limits count them: its role, its texts, all else as JSON without embedded data. */
export const measureChars = ({ role, parts, context }: Measured): number =>
  parts.reduce((sum, part) => sum + partText(part).length, role.length + 1 + (context?.length ?? 0))

export const measureTokens = ({ parts, context }: Measured): number =>
  parts.reduce((sum, part) => sum + estimateTokens(partText(part)), 4) +
  (context ? estimateTokens(context) : 0)

function partText(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return (part.text as string | undefined) ?? ''
  if (part.type === 'step-start') return ''
  if (part.type === 'data-steer')
    return ((part.data as { parts?: Part[] } | undefined)?.parts ?? []).map(partText).join('')
  if (part.type === 'file') return JSON.stringify({ ...part, url: withoutData(String(part.url ?? '')) })
  return JSON.stringify(part)
}

/** A picture of a megabyte is not a million characters to a model. */
const withoutData = (url: string) => (url.startsWith('data:') ? url.slice(0, url.indexOf(',') + 1) : url)
