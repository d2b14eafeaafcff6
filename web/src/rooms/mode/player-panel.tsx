import { ChevronRight, Lock } from 'lucide-react'
import { useId, useState } from 'react'
import type { RoomRecord } from '../../../../src/extensions/room/protocol/room.ts'
import { useTexts } from '../../shell/texts.ts'
import { modeTexts } from '../texts.ts'

interface Props {
  player: NonNullable<RoomRecord['player']>
  nameOf(name: string): string
}

/** What a person who plays knows beyond the rest, and hears where not all can. */
export function PlayerPanel({ player: { name, facts, channel }, nameOf }: Props) {
  const t = useTexts(modeTexts)
  const id = useId()
  const [isOpen, setOpen] = useState(true)
  return (
    <section aria-label={t.onlyYou} data-player-panel className="border-t border-line bg-selected">
      <div className="mx-auto w-full max-w-6xl px-4 py-1 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="flex items-center gap-1.5 rounded py-0.5 font-medium"
        >
          <Lock aria-hidden className="size-3.5" />
          {t.onlyYou}
          <bdi className="font-normal">· {t.playingAs(nameOf(name))}</bdi>
          <ChevronRight aria-hidden className={`size-4 ${isOpen ? 'rotate-90' : ''}`} />
        </button>
        {isOpen && (
          <div id={id} className="max-h-[25dvh] overflow-y-auto pb-1">
            {facts.length === 0 && channel.length === 0 && <p>{t.nothingSecret}</p>}
            <ul>
              {facts.map((fact) => (
                <li key={fact} className="wrap-anywhere">
                  {fact}
                </li>
              ))}
            </ul>
            {channel.length > 0 && (
              <ul aria-label={t.channel} className="mt-1 border-l-2 border-current/30 pl-2">
                {channel.map(({ from, text }, index) => (
                  // oxlint-disable-next-line react/no-array-index-key -- the same may be said twice
                  <li key={index} className="wrap-anywhere">
                    <bdi className="font-medium">{nameOf(from)}</bdi> {text}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
