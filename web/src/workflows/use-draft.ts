import { useState } from 'react'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'

export interface Draft {
  text: string
  /** What the text was made from. */
  base: Workflow
  isChanged: boolean
  /** A version that was saved by somebody else since. */
  newer?: Workflow
  setText(text: string): void
  /** Goes on from another version, with its text or with one's own. */
  rebase(base: Workflow, text?: string): void
}

/** What one person writes; it follows what is saved as long as nothing was written. */
export function useDraft(workflow: Workflow): Draft {
  const [base, setBase] = useState(workflow)
  const [text, setText] = useState(workflow.text)
  const isNewer = workflow.version > base.version
  if (isNewer && (text === base.text || text === workflow.text)) {
    setBase(workflow)
    setText(workflow.text)
  }
  return {
    text,
    base,
    isChanged: text !== base.text,
    ...(isNewer && { newer: workflow }),
    setText,
    rebase(next, own = next.text) {
      setBase(next)
      setText(own)
    },
  }
}
