import { clsx } from 'clsx'
import { useTexts } from '../shell/texts.ts'
import { contextTexts } from './texts.ts'

export type DiffMode = 'words' | 'lines'

interface Props {
  value: DiffMode
  onChange(mode: DiffMode): void
}

export function ModeSwitch({ value, onChange }: Props) {
  const t = useTexts(contextTexts)
  const modes: [DiffMode, string][] = [
    ['words', t.byWords],
    ['lines', t.byLines],
  ]
  return (
    <div role="group" aria-label={t.compare} className="flex w-fit gap-0.5 rounded-md bg-hover p-0.5 text-sm">
      {modes.map(([mode, label]) => (
        <button
          key={mode}
          type="button"
          aria-pressed={value === mode}
          onClick={() => onChange(mode)}
          className={clsx('rounded px-2 py-0.5', value === mode ? 'bg-page font-medium' : 'text-muted')}
        >
          {label}
        </button>
      ))}
    </div>
  )
}
