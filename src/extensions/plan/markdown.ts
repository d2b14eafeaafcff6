/**
 * A plan as a list of tasks in Markdown:
 *
 *     - [x] Read the sources <!-- #1 -->
 *     - [ ] Write the report <!-- #2 after #1 -->
 *       <!-- accept: file_nonempty:report.md -->
 *       What is to be done, in as many lines as it takes.
 *       - [ ] A part of it <!-- #3 -->
 */
import { ParleyError } from '../../core/protocol/error.ts'
import type { NodeRecord, NodeStatus } from './store/plans.ts'
import { escapeText } from './markdown-text.ts'
import { walkTree } from './tree.ts'

const maxWritten = 10_000_000

const marks: Record<NodeStatus, string> = {
  pending: ' ',
  completed: 'x',
  skipped: '-',
  running: '~',
  partial: '/',
  refused: '=',
  failed: '!',
  blocked: '?',
}

export function toMarkdown(nodes: readonly NodeRecord[]): string {
  const lines: string[] = []
  let length = 0
  for (const { node, level } of walkTree(nodes, 0)) {
    const indent = '  '.repeat(level)
    lines.push(`${indent}- [${marks[node.status]}] ${nameOf(node)} ${commentOf(node)}`)
    for (const check of node.acceptance ?? []) lines.push(`${indent}  <!-- accept: ${writeCheck(check)} -->`)
    // every line of it is indented as deeply as the node: a deep plan becomes many times as long
    for (const line of escapeText(node.instruction)) {
      length += indent.length + line.length
      if (length > maxWritten)
        throw new ParleyError(
          'payload_too_large',
          `The plan is longer than ${maxWritten} characters as Markdown.`,
        )
      lines.push(line === '' ? '' : `${indent}  ${line}`)
    }
  }
  return lines.map((line) => `${line}\n`).join('')
}

const nameOf = ({ id, name }: NodeRecord) => name.replaceAll(/\p{Cc}/gu, ' ').trim() || `Task ${id}`

const commentOf = ({ id, dependencies }: NodeRecord) =>
  dependencies.length === 0
    ? `<!-- #${id} -->`
    : `<!-- #${id} after ${dependencies.map((on) => `#${on}`).join(', ')} -->`

/** As it is where it stands on one line and ends no comment, otherwise as JSON. */
function writeCheck(check: string): string {
  const isPlain = check === check.trim() && !/^"|\p{Cc}|--/u.test(check)
  return isPlain ? check : JSON.stringify(check).replaceAll('-', String.raw`\u002d`)
}
