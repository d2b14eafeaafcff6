import { setResultName } from '../../core/tasks/require-result.ts'
import { lastWords } from '../../core/protocol/last-words.ts'
import type { NodeEvidence } from './protocol/plan-node.ts'
import { cut } from '../../core/shared/text.ts'
import type { RunStep } from '../../core/store/queries/run-steps.ts'
import type { StoreOperations } from '../../core/store/store.ts'

const maxFiles = 100
const maxWords = 2_000

/** Evidence of the work of a session: files it changed, calls it made, its last text. */
export async function readEvidence(
  store: StoreOperations,
  sessionId: string | undefined,
  steps: readonly RunStep[],
  output: string,
  /** Of the attempts before it: they stay changed. */
  earlierFiles: readonly string[] = [],
): Promise<NodeEvidence> {
  const changed = sessionId === undefined ? [] : await store.listChangedFiles(sessionId, maxFiles)
  const files = [...new Set([...earlierFiles, ...changed])]
  const unlisted = changed.length < maxFiles ? 0 : (await store.countChangedFiles(sessionId!)) - maxFiles
  const more = unlisted + Math.max(0, files.length - maxFiles)
  const parts = steps.flatMap((step) => step.parts)
  const calls: Record<string, number> = {}
  let failedCalls = 0
  for (const { type, toolName, state } of parts) {
    if (type !== 'dynamic-tool' || typeof toolName !== 'string' || toolName === setResultName) continue
    if (state === 'output-available') calls[toolName] = (calls[toolName] ?? 0) + 1
    else failedCalls++
  }
  const words = cut(lastWords(parts), maxWords)
  return {
    files: files.slice(0, maxFiles),
    ...(more > 0 && { moreFiles: more }),
    calls,
    ...(failedCalls > 0 && { failedCalls }),
    // the text that was used as output is shown there
    ...(words !== '' && !output.startsWith(words.replace(/…$/, '')) && { lastWords: words }),
  }
}
