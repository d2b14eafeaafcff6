import { estimateTokenCount } from 'tokenx'
import type { ToolSpec } from '../models/adapter.ts'

/** What each tool takes of a prompt, by its name. */
export const toolTokensOf = (specs: readonly ToolSpec[]): Record<string, number> =>
  Object.fromEntries(specs.map((spec) => [spec.name, estimateTokenCount(JSON.stringify(spec))]))
