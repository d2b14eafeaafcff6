import { randomKey } from '../../../../src/client/random-key.ts'
import type { ChatBody } from '../../../../src/core/protocol/chat.ts'
import type { Attachment } from './attachments.ts'

export type Policy = 'enqueue' | 'steer'

export const otherPolicy: Record<Policy, Policy> = { enqueue: 'steer', steer: 'enqueue' }

/** A message that somebody wants to send: repeated as it is, the server takes it once. */
export interface Outgoing {
  messageId: string
  key: string
  text: string
  attachments: readonly Attachment[]
  thinking: boolean
  policy: Policy
}

type Content = Pick<Outgoing, 'text' | 'attachments' | 'thinking' | 'policy'>

/** What failed before goes out under its old name when nothing of it was changed. */
export function toOutgoing(content: Content, failed?: Outgoing): Outgoing {
  const isSame =
    failed !== undefined &&
    failed.text === content.text &&
    failed.thinking === content.thinking &&
    failed.policy === content.policy &&
    failed.attachments.map(({ id }) => id).join() === content.attachments.map(({ id }) => id).join()
  return isSame ? failed : { ...content, messageId: `msg_${randomKey()}`, key: randomKey() }
}

export function toBody(message: Outgoing, scope: string | undefined): ChatBody {
  const { messageId, text, attachments, thinking, policy } = message
  const files = attachments.map(({ name, mediaType, url }) => ({
    type: 'file',
    mediaType,
    url,
    filename: name,
  }))
  const parts = [...(text.trim() === '' ? [] : [{ type: 'text', text }]), ...files]
  return {
    scope,
    messages: [{ id: messageId, role: 'user', parts }],
    policy,
    ...(thinking && { thinking }),
  }
}
