import { useId } from 'react'
import type { RoomMode } from '../../../../src/extensions/room/protocol/room.ts'
import { useLanguage, useTexts } from '../../shell/texts.ts'
import { roomFormTexts } from '../texts.ts'

interface Props {
  modes: readonly RoomMode[]
  value: string
  onChange(mode: string): void
}

/** What a room can be, each with its icon and what it is about. */
export function ModePicker({ modes, value, onChange }: Props) {
  const t = useTexts(roomFormTexts)
  const language = useLanguage()
  const group = useId()
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t.mode}</legend>
      <div className="mt-1 grid grid-cols-1 gap-1.5 p-0.5 sm:grid-cols-2">
        {modes.map(({ name, icon, label, description }) => (
          <label
            key={name}
            className="flex min-w-0 items-start gap-2 rounded-md border border-line px-2.5 py-1.5 hover:bg-hover has-checked:border-accent has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:outline-[var(--focus)]"
          >
            <input
              type="radio"
              name={group}
              className="sr-only"
              checked={name === value}
              onChange={() => onChange(name)}
            />
            <span aria-hidden className="text-lg leading-6">
              {icon}
            </span>
            <span className="min-w-0">
              <span className="block text-sm font-medium">{label[language]}</span>
              <span className="block text-xs text-muted">{description[language]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
