import type { Session } from '../protocol/session.ts'
import { isWorkflowManagement } from '../protocol/session-kinds.ts'
import type { TurnInput } from './turn-input.ts'

/**
 * What a session leaves out of all its turns, whoever asks. One that edits a workflow is about that alone: a command could
 * take its tool away, and nothing of it is worth remembering elsewhere.
 */
export const flagsOf = (session: Session): Partial<TurnInput> =>
  isWorkflowManagement(session)
    ? {
        skipMemory: true,
        skipPerRoundExtract: true,
        skipNarrativeBatchExtract: true,
        skipDocumentExtract: true,
        skipSlashCommands: true,
        includeScopeContext: false,
      }
    : {}
