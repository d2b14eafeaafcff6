import { useId } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Avatar, NameChip } from '../avatar.tsx'
import { palette, textOn } from '../colour.ts'
import type { AgentDraft, AgentErrors } from './agent-draft.ts'
import { agentTexts } from '../texts.ts'

interface Props {
  draft: AgentDraft
  errors: AgentErrors
  onChange(patch: Partial<AgentDraft>): void
}

const faces = ['🦉', '🦔', '🐿️', '🐱', '🦊', '🐼', '🐢', '🐝', '🤖', '🛠️', '🔎', '🧪']

/** Its face and its colour, as they will look. */
export function AgentLook({ draft, errors, onChange }: Props) {
  const t = useTexts(agentTexts)
  const group = useId()
  const name = draft.name || '?'
  const shown = { ...draft, name }
  const colours = ['', ...palette]
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <div>
        <Field label={t.avatar} hint={t.avatarHint} error={errors.avatar}>
          {(control) => (
            <input
              {...control}
              value={draft.avatar}
              onChange={({ target }) => onChange({ avatar: target.value })}
            />
          )}
        </Field>
        <div role="group" aria-label={t.avatars} className="mt-1 flex flex-wrap gap-0.5">
          {faces.map((face) => (
            <button
              key={face}
              type="button"
              aria-pressed={draft.avatar === face}
              onClick={() => onChange({ avatar: face })}
              className="size-8 rounded-md text-lg leading-none hover:bg-hover aria-pressed:bg-selected"
            >
              {face}
            </button>
          ))}
        </div>
      </div>
      <div>
        <fieldset>
          <legend className="text-sm font-medium">{t.colour}</legend>
          <div className="mt-1 flex flex-wrap items-center gap-1.5 p-0.5">
            {colours.map((colour) => (
              <label
                key={colour}
                title={colour === '' ? t.noColour : colour}
                className="flex size-7 items-center justify-center rounded-full border border-line has-checked:outline-2 has-checked:outline-offset-1 has-checked:outline-[var(--focus)] has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-[var(--focus)]"
                style={colour === '' ? undefined : { backgroundColor: colour, color: textOn(colour) }}
              >
                <input
                  type="radio"
                  name={group}
                  className="sr-only"
                  aria-label={colour === '' ? t.noColour : t.colourOf(colour)}
                  checked={draft.color.toLowerCase() === colour}
                  onChange={() => onChange({ color: colour })}
                />
                {colour === '' && <span aria-hidden>–</span>}
              </label>
            ))}
          </div>
        </fieldset>
        <Field label={t.hex} error={errors.color} className="mt-1">
          {(control) => (
            <input
              {...control}
              placeholder="#b45309"
              spellCheck={false}
              autoCapitalize="none"
              value={draft.color}
              onChange={({ target }) => onChange({ color: target.value.trim() })}
            />
          )}
        </Field>
      </div>
      <p className="flex min-w-0 items-center gap-2 sm:col-span-2">
        <span className="text-sm text-muted">{t.preview}</span>
        <Avatar agent={shown} />
        <NameChip agent={shown} />
      </p>
    </div>
  )
}
