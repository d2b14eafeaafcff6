import { useMemo, useState } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { viewAsk, type AskView } from './ask-view.ts'

/** What is seen of an ask: its beginning, until somebody wants all of it. */
export function useAskView(approval: Approval): { view: AskView; showAll(): void } {
  const [isWhole, setWhole] = useState(false)
  const view = useMemo(() => viewAsk(approval, isWhole), [approval, isWhole])
  return { view, showAll: () => setWhole(true) }
}
