import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { createFinder } from '../../core/shared/find-text.ts'

export interface Edit {
  old: string
  new: string
}

/**
 * Replaces stretches of a text, one after the other. Each must be there exactly once, else nothing is changed. What all
 * of them add is counted before the first is made: a text of more characters than bytes are allowed is too long anyway.
 */
export function applyEdits(content: string, edits: readonly Edit[], maxBytes: number): string {
  const length = edits.reduce((sum, edit) => sum + edit.new.length - edit.old.length, content.length)
  if (length > maxBytes)
    throw invalidRequest(
      `With its edits the document would have ${length} characters; the most is ${maxBytes} bytes (documents.maxBytes). Nothing was changed.`,
    )
  return edits.reduce((text, edit, index) => applyEdit(text, edit, index + 1), content)
}

function applyEdit(text: string, { old, new: replacement }: Edit, number: number): string {
  const find = createFinder(old)
  const at = find(text)
  if (at === -1)
    throw invalidRequest(
      `Edit ${number}: ${quote(old)} is not in the document. Nothing was changed; read it and copy the text exactly.`,
    )
  if (find(text, at + 1) !== -1)
    throw invalidRequest(
      `Edit ${number}: ${quote(old)} is there more than once. Nothing was changed; take more of the text around it.`,
    )
  return text.slice(0, at) + replacement + text.slice(at + old.length)
}
