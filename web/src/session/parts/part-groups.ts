import type { Part } from '../../../../src/client/index.ts'

/** What is drawn as one: a part, or calls of tools that follow one another. */
export interface PartGroup {
  /** Of its first part in the message: stays the same while more comes. */
  index: number
  kind: 'part' | 'tools'
  parts: readonly Part[]
}

export const isToolPart = ({ type }: Part) => type === 'dynamic-tool' || type.startsWith('tool-')

/** Tasks have cards of their own. */
export const isTaskPart = (part: Part) =>
  isToolPart(part) && ['spawn_task', 'task_status'].includes(toolNameOf(part))

export const toolNameOf = ({ type, toolName }: Part) =>
  typeof toolName === 'string' ? toolName : type.slice('tool-'.length)

export function groupParts(parts: readonly Part[]): PartGroup[] {
  const groups: (PartGroup & { parts: Part[] })[] = []
  for (const [index, part] of parts.entries()) {
    if (!isShown(part)) continue
    const last = groups.at(-1)
    if (!isToolPart(part) || isTaskPart(part)) groups.push({ index, kind: 'part', parts: [part] })
    else if (last?.kind === 'tools') last.parts.push(part)
    else groups.push({ index, kind: 'tools', parts: [part] })
  }
  return groups
}

// where a step begins, and what a reply was read from
const unseen: ReadonlySet<string> = new Set(['step-start', 'data-reply', 'data-reply-attempt'])

/** There is nothing to see of words that have not come yet either. */
const isShown = ({ type, text }: Part) =>
  !unseen.has(type) && !((type === 'text' || type === 'reasoning') && (text as string).trim() === '')
