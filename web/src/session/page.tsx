import { useParams } from '@tanstack/react-router'
import { messageText } from '../../../src/protocol/message-text.ts'
import { useTexts } from '../app/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { sessionTexts } from './session-texts.ts'
import { useConversation } from './use-conversation.ts'

export function Page() {
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string }
  return sessionId === undefined ? null : <SessionView key={sessionId} sessionId={sessionId} />
}

function SessionView({ sessionId }: { sessionId: string }) {
  const t = useTexts(sessionTexts)
  const { status, error, messages, draft } = useConversation(sessionId)
  if (status === 'loading') return <Loading />
  if (status === 'failed') return <Failure error={error} />
  return (
    <div className="h-full overflow-y-auto p-4">
      {messages.map((message) => (
        <article key={message.id}>
          <h2>{message.role === 'user' ? t.you : t.assistant}</h2>
          <p className="whitespace-pre-wrap">{messageText(message)}</p>
        </article>
      ))}
      {draft && <p className="whitespace-pre-wrap">{messageText({ parts: draft.parts })}</p>}
    </div>
  )
}
