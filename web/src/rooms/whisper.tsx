import { Lock } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Answer } from '../session/message-view.tsx'
import { Avatar } from './avatar.tsx'
import { wordsOf } from './forms/schema-form.tsx'
import { modeTexts, roomTexts } from './texts.ts'
import type { ShownTurn } from './room-items.ts'
import type { FindAgent } from './use-room-names.ts'
import type { RoomDeeds } from './use-room-deeds.ts'

interface Props {
  turn: ShownTurn
  agent: ReturnType<FindAgent>
  deeds: RoomDeeds
}

/** What was said where not all can hear it. */
export function Whisper({ turn, agent, deeds }: Props) {
  const t = useTexts(roomTexts)
  const name = agent.displayName || agent.name
  const inspect = deeds.inspectionOf(turn)
  return (
    <article
      aria-label={t.whisperOf(name)}
      data-whisper={turn.agent}
      className="mt-2 rounded-lg border border-dashed border-line px-3 py-1.5 text-sm"
    >
      <p className="flex min-w-0 items-center gap-1.5 text-muted">
        <Lock aria-hidden className="size-3.5 shrink-0" />
        <Avatar agent={agent} size="small" />
        <bdi className="min-w-0 truncate font-medium text-text">{name}</bdi>
        <span className="shrink-0">{t.whisper}</span>
        {inspect && (
          <button
            type="button"
            onClick={inspect}
            className="ml-auto shrink-0 rounded px-1 text-xs underline underline-offset-2 hover:text-text"
          >
            {t.prompt}
          </button>
        )}
      </p>
      {turn.heard && (
        <p className="wrap-anywhere text-muted">{t.whispered(turn.heard.from, turn.heard.text)}</p>
      )}
      {turn.message ? <Answer message={turn.message} /> : <Whispered text={turn.whisper ?? ''} />}
    </article>
  )
}

/** Words, or what was chosen, field by field. */
function Whispered({ text }: { text: string }) {
  const t = useTexts(modeTexts)
  const chosen = toChosen(text)
  if (!chosen) return <Markdown text={text} isStreaming={false} />
  return (
    <dl className="flex flex-wrap gap-x-4">
      {chosen.map(([name, value]) => (
        <div key={name} className="flex min-w-0 gap-1">
          <dt className="text-muted">{wordsOf(t.fieldNames, name)}:</dt>
          <dd className="min-w-0 wrap-anywhere">
            <bdi>{Object.hasOwn(t.fieldValues, value) ? t.fieldValues[value] : value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Undefined for what is not an object of words. */
function toChosen(text: string): [string, string][] | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const fields = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
  } catch {
    return undefined
  }
}
