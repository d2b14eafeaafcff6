import { invalidRequest, quote } from '../protocol/error.ts'

export interface Edit {
  old: string
  new: string
}

/** Replaces stretches of a text, one after the other. Each must be there exactly once, else nothing is changed. */
export function applyEdits(content: string, edits: readonly Edit[]): string {
  return edits.reduce((text, edit, index) => applyEdit(text, edit, index + 1), content)
}

function applyEdit(text: string, { old, new: replacement }: Edit, number: number): string {
  const at = text.indexOf(old)
  if (at === -1)
    throw invalidRequest(
      `Edit ${number}: ${quote(old)} is not in the document. Nothing was changed; read it and copy the text exactly.`,
    )
  if (text.indexOf(old, at + 1) !== -1)
    throw invalidRequest(
      `Edit ${number}: ${quote(old)} is there more than once. Nothing was changed; take more of the text around it.`,
    )
  return text.slice(0, at) + replacement + text.slice(at + old.length)
}
