import type { Part } from '../../../../src/client/index.ts'
import type { PartViews } from '../../shell/part-views.ts'

/** What is drawn as one: a part, or calls of tools that follow one another. */
export interface PartGroup {
  /** Of its first part in the message: stays the same while more comes. */
  index: number
  kind: 'part' | 'tools'
  parts: readonly Part[]
}

export const isToolPart = ({ type }: Part) => type === 'dynamic-tool' || type.startsWith('tool-')

export const toolNameOf = ({ type, toolName }: Part) =>
  typeof toolName === 'string' ? toolName : type.slice('tool-'.length)

export function groupParts(parts: readonly Part[], views: PartViews): PartGroup[] {
  const groups: (PartGroup & { parts: Part[] })[] = []
  for (const [index, part] of parts.entries()) {
    if (!isShown(part, views)) continue
    const last = groups.at(-1)
    const isPlainTool = isToolPart(part) && !views.ofTool(toolNameOf(part))
    if (!isPlainTool) groups.push({ index, kind: 'part', parts: [part] })
    else if (last?.kind === 'tools') last.parts.push(part)
    else groups.push({ index, kind: 'tools', parts: [part] })
  }
  return groups
}

/** There is nothing to see of words that have not come yet either. */
const isShown = ({ type, text }: Part, views: PartViews) =>
  views.ofPart(type) !== null &&
  !((type === 'text' || type === 'reasoning') && (text as string).trim() === '')
