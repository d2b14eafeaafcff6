import type { NewMessage } from '../../protocol/message.ts'
import type { SessionDocument } from '../../protocol/session.ts'

/** A document without its messages. */
export type DocumentHead = Omit<SessionDocument, 'messages'>

/** A text in pieces: `begin`, then every message in its order, then `end`. A long log is never in memory as a whole. */
export interface Writing {
  begin: string
  message(message: NewMessage, place: number): string
  end: string
}
