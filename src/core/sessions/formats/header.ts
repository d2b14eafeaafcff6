import { z } from 'zod'
import { invalidRequest } from '../../protocol/error.ts'
import { misfit } from '../../protocol/issues.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { type DocumentHead, requireDocument } from './document.ts'

// the count distinguishes a whole file from one that was cut between two messages
const headerSchema = z.strictObject({
  format: z.literal('parley.session'),
  version: z.literal(1),
  messageCount: z.int().nonnegative(),
  session: z.unknown(),
})

/** What JSONL and Markdown write before the messages. */
export const toHeader = ({ format, version, session }: DocumentHead, messageCount: number) => ({
  format,
  version,
  messageCount,
  session,
})

/** The document behind a header and the messages that followed it; refuses when some are missing. */
export function fromHeader(
  header: unknown,
  messages: unknown[],
  rules: DocumentRules | undefined,
): SessionDocument {
  const result = headerSchema.safeParse(header)
  if (!result.success) throw misfit(result.error, header, { before: 'The header is not that of a session.' })
  const { messageCount, ...rest } = result.data
  if (messages.length !== messageCount)
    throw invalidRequest(
      `The header announces ${messageCount} messages, but the file holds ${messages.length}. It may have been cut off.`,
    )
  return requireDocument({ ...rest, messages }, rules)
}
