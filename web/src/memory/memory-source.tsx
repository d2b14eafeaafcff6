import { Link } from '@tanstack/react-router'
import type { Memory } from '../../../src/client/index.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { memoryTexts } from './texts.ts'

/** Leads to where it was learned; where the dock covers that, it goes away. */
export function MemorySource({ memory }: { memory: Memory }) {
  const keepSearch = useKeptSearch()
  const t = useTexts(memoryTexts)
  const isBeside = useMediaQuery('(min-width: 1100px)')
  const { messageId, documentId } = memory.source
  const sessionId = memory.source.sessionId ?? memory.sessionId
  if (documentId !== undefined) return <span>{t.fromDocument}</span>
  if (sessionId === undefined) return null
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      search={keepSearch({ message: messageId, ...(!isBeside && { dock: undefined }) })}
      className="text-accent underline underline-offset-2 hover:text-accent-strong"
    >
      {messageId === undefined ? t.fromSession : t.fromMessage}
    </Link>
  )
}
