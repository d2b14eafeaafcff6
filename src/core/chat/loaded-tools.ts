import { isObject } from '../shared/type-checks.ts'
import type { Part } from '../protocol/message.ts'
import type { LoadedTool } from '../protocol/prompt.ts'
import { useToolName } from '../tools/call-through.ts'

/** Where in a reply the tools that are offered by a line were described or called; steps are counted from 1. */
export function findLoaded(parts: readonly Part[], listed: readonly string[], seq?: number): LoadedTool[] {
  const place = seq === undefined ? {} : { seq }
  let step = 0
  return parts.flatMap((part): LoadedTool[] => {
    if (part.type === 'step-start') step++
    const { toolName, input, state, calledThrough } = part
    if (typeof toolName !== 'string') return []
    if (toolName === useToolName) {
      const isDescribed = state === 'output-available' && isObject(input) && typeof input['name'] === 'string'
      return isDescribed ? [{ name: input['name'] as string, use: 'described', ...place, step }] : []
    }
    const isListed = calledThrough === useToolName || listed.includes(toolName)
    return isListed ? [{ name: toolName, use: 'called', ...place, step }] : []
  })
}
