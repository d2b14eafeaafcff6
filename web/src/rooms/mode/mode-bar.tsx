import { ChevronRight, Lock, SkipForward } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import type { RoomRecord } from '../../../../src/extensions/room/protocol/room.ts'
import { useLanguage, useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { roomTexts, modeTexts } from '../texts.ts'
import { AgentFaces } from './agent-faces.tsx'
import { standings } from './mode-standing.tsx'
import type { StandingProps } from './standing-props.ts'

interface Props extends Omit<StandingProps, 'state'> {
  room: RoomRecord
  isBusy: boolean
  onAdvance(): void
  onAsked(): void
  onSwitch(): void
  /** What only the person who looks may know. */
  children?: ReactNode
}

/** Which mode a room is in, where that stands, and the button that takes it on. */
export function ModeBar({ room, isBusy, agentOf, nameOf, onAdvance, onAsked, onSwitch, children }: Props) {
  const t = useTexts(modeTexts)
  const words = useTexts(roomTexts)
  const language = useLanguage()
  const id = useId()
  const [chosen, setOpen] = useState<boolean>()
  const { mode, state, missing, sealed, canAdvance, asks } = room
  const isAsking = asks.length > 0
  const standing = Object.hasOwn(standings, mode.name) ? standings[mode.name]! : undefined
  const hasDetails = standing?.hasDetails(state) ?? false
  const isOpen = hasDetails && (chosen ?? false)
  const shown = { state, agentOf, nameOf }
  return (
    <section
      aria-label={t.bar}
      data-mode={mode.name}
      className="min-h-11 overflow-y-auto border-b border-line bg-surface"
    >
      <div className="mx-auto flex w-full max-w-6xl flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
        <Button size="small" variant="ghost" className="-ml-2" title={words.switchMode} onClick={onSwitch}>
          <span aria-hidden>{mode.icon}</span>
          {mode.label[language]}
        </Button>
        {standing ? (
          <standing.Bar {...shown} />
        ) : (
          <AgentFaces room={room} isBusy={isBusy} onAsked={onAsked} />
        )}
        {sealed && (
          <Tooltip text={words.sealedHint}>
            <Tag className="text-muted">
              <Lock aria-hidden className="size-3" />
              {words.sealed}
            </Tag>
          </Tooltip>
        )}
        <span className="ml-auto flex items-center gap-1">
          {hasDetails && (
            <Button
              size="small"
              variant="ghost"
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => setOpen(!isOpen)}
            >
              {t.details}
              <ChevronRight aria-hidden className={isOpen ? 'rotate-90' : ''} />
            </Button>
          )}
          {canAdvance && (
            <Button
              size="small"
              disabled={isBusy}
              title={isAsking ? t.skipHint : t.advanceHint}
              onClick={onAdvance}
            >
              <SkipForward aria-hidden />
              {state.phase === 'lobby' ? t.begin : isAsking ? t.skip : t.advance}
            </Button>
          )}
        </span>
        {missing.length > 0 && (
          <p className="w-full text-sm wrap-anywhere text-warning">{words.missingAgents(missing)}</p>
        )}
      </div>
      {isOpen && standing && (
        <div
          id={id}
          className="mx-auto flex max-h-[40dvh] w-full max-w-6xl flex-col gap-3 overflow-y-auto border-t border-line px-4 py-2"
        >
          <standing.Details {...shown} />
        </div>
      )}
      {children}
    </section>
  )
}
