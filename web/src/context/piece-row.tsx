import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import type { LoadedTool } from '../../../src/core/protocol/prompt.ts'
import { Tag } from '../ui/tag.tsx'
import { contextTexts } from './texts.ts'
import { LongText } from './long-text.tsx'
import { MessageLink } from './message-link.tsx'
import { beginningOf, type Piece } from './prompt-pieces.ts'
import { useNumbers } from '../ui/use-numbers.ts'

interface Props {
  piece: Piece
  sessionId: string
  /** Tokens of the largest piece: what bars are measured by. */
  largest: number
  isOpen: boolean
  onToggle(): void
}

/** One fragment, message or tool: what it is, how big, and its text when opened. */
export function PieceRow({ piece, sessionId, largest, isOpen, onToggle }: Props) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const { kind, share, name, role, seq, messageId, tokens, text, sources, cached, loaded } = piece
  const canOpen = kind !== 'tool'
  const Head = canOpen ? 'button' : 'div'
  const isStatic = share === 'system' || share === 'head'
  return (
    <div className="border-b border-line">
      <div className="flex items-center gap-2 pr-3 hover:bg-hover">
        <Head
          className="flex min-w-0 flex-1 items-center gap-2 py-1.5 pl-2 text-left"
          {...(canOpen && { type: 'button' as const, 'aria-expanded': isOpen, onClick: onToggle })}
        >
          <ChevronRight
            aria-hidden
            className={clsx('size-4 shrink-0 text-muted', isOpen && 'rotate-90', !canOpen && 'invisible')}
          />
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="flex flex-wrap items-center gap-x-2">
              <span className={clsx('text-sm font-medium', kind !== 'message' && 'font-mono')}>
                {name ?? t.roles[role!]}
              </span>
              {kind === 'fragment' && (
                <Tag title={t.placementHints[isStatic ? 'static' : 'dynamic']}>
                  {t.placements[isStatic ? 'static' : 'dynamic']}
                </Tag>
              )}
              {loaded && <Tag title={t.byLineHint}>{t.byLine}</Tag>}
              {cached && !loaded && (
                <Tag state={cached === 'yes' ? 'completed' : 'plain'}>{t.cached[cached]}</Tag>
              )}
            </span>
            {kind === 'message' ? (
              !isOpen && <span className="line-clamp-1 text-xs text-muted">{beginningOf(text!)}</span>
            ) : loaded ? (
              <Loaded loaded={loaded} />
            ) : (
              <Source name={name!} sources={sources} />
            )}
          </span>
          <span className="flex w-24 shrink-0 flex-col items-end gap-1">
            {!loaded && (
              <>
                <span className="text-xs whitespace-nowrap tabular-nums">{t.tokens(count(tokens))}</span>
                <span aria-hidden className="h-1 w-full overflow-hidden rounded-full bg-hover">
                  <span
                    className="block h-full rounded-full bg-accent"
                    style={{ width: `${(100 * tokens) / largest}%` }}
                  />
                </span>
              </>
            )}
          </span>
        </Head>
        {seq !== undefined && messageId !== undefined && (
          <span className="w-12 shrink-0 text-right text-xs tabular-nums">
            <MessageLink sessionId={sessionId} messageId={messageId} label={t.goToMessage(seq)}>
              {t.messageNumber(seq)}
            </MessageLink>
          </span>
        )}
      </div>
      {isOpen && (
        <div className="px-3 pb-3">
          {text === undefined ? (
            <p className="text-sm text-muted">{t.textUnknown}</p>
          ) : (
            <LongText text={text} label={name ?? t.roles[role!]} />
          )}
        </div>
      )}
    </div>
  )
}

/** Where a tool that is offered by a line was described or called. */
function Loaded({ loaded }: { loaded: LoadedTool[] }) {
  const t = useTexts(contextTexts)
  if (loaded.length === 0) return null
  return (
    <span className="line-clamp-2 text-xs text-muted">
      {loaded.map(({ use, seq, step }) => t.loaded[use](step, seq)).join(t.comma)}
    </span>
  )
}

function Source({ name, sources }: { name: string; sources: string[] }) {
  const t = useTexts(contextTexts)
  const known = Object.hasOwn(t.sources, name) ? t.sources[name] : undefined
  if (sources.length === 0 && known === undefined) return null
  return (
    <span className="line-clamp-2 text-xs text-muted">
      {known}
      {sources.length > 0 && `${known ? t.colon : ''}${sources.join(t.comma)}`}
    </span>
  )
}
