import { useMemo, useState } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { approvalsTexts } from './texts.ts'
import { questionTexts, viewAsk, viewTexts, type AskView } from './ask-view.ts'

interface Seen {
  view: AskView
  showAll(): void
}

/** What is seen of an ask: its beginning, until somebody wants all of it. */
export function useAskView(approval: Approval): Seen {
  const [isWhole, setWhole] = useState(false)
  const { preview } = useTexts(approvalsTexts)
  const view = useMemo(() => viewAsk(approval, isWhole, preview), [approval, isWhole, preview])
  return { view, showAll: () => setWhole(true) }
}

/** The same of a question that is no ask of a tool, with what it is about. */
export function useQuestionView(question: string, content?: string): Seen {
  const [isWhole, setWhole] = useState(false)
  const view = useMemo(
    () => viewTexts([], questionTexts(question, content), isWhole),
    [question, content, isWhole],
  )
  return { view, showAll: () => setWhole(true) }
}
