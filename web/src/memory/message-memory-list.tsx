import { Link } from '@tanstack/react-router'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { memoryTexts } from './texts.ts'
import { MessageMemory } from './message-memory.tsx'
import { useMessageMemories } from './use-memories.ts'

interface Props {
  id: string
  messageId: string
  /** How many the turn was given; some may be gone. */
  used: number
}

/** Which memories the turn of an answer was given, and which it left. */
export function MessageMemoryList({ id, messageId, used }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(memoryTexts)
  const { data, error, refetch } = useMessageMemories(messageId)
  const gone = used - (data?.items.filter(({ inMessage }) => inMessage === 'used').length ?? used)
  return (
    <section
      id={id}
      aria-label={t.ofAnswer}
      className="mt-1 mb-2 w-full min-w-0 rounded-lg border border-line bg-surface px-3 py-2 text-sm"
    >
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {data.items.map((memory) => (
            <MessageMemory key={`${memory.inMessage}-${memory.id}`} memory={memory} />
          ))}
        </ul>
      )}
      {gone > 0 && <p className="py-1 text-muted">{t.gone(gone)}</p>}
      <Link
        to="/memory"
        search={keepSearch()}
        className="text-xs text-accent underline underline-offset-2 hover:text-accent-strong"
      >
        {t.all}
      </Link>
    </section>
  )
}
