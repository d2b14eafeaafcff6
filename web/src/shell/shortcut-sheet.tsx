import { RotateCcw, X } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { actionTexts } from './shell-texts.ts'
import { actionNamed, actionWithKeys, keysOf, type Action } from './actions.ts'
import { comboOf, formatCombo, isMac, isWriting } from './key-combo.ts'
import { setOverlay } from './overlays.ts'
import { setPreferences, usePreferences } from './preferences.ts'
import { useName, useTexts } from './texts.ts'
import { useActions } from './use-actions.ts'

const listKeys = [
  ['move', '↑ ↓'],
  ['open', 'Enter'],
  ['menu', '→'],
  ['rename', 'F2'],
  ['archive', 'A'],
  ['delete', 'Del'],
] as const

/** Every action with its keys, which can be changed here. */
export function ShortcutSheet() {
  const nameOf = useName()
  const actions = useActions()
  const t = useTexts(actionTexts)
  const chosen = usePreferences(({ shortcuts }) => shortcuts)
  const [recording, setRecording] = useState<Action>()
  const [problem, setProblem] = useState<string>()
  const bind = (action: Action, combo: string | undefined) => {
    const { [action.name]: _, ...others } = chosen
    setPreferences({ shortcuts: combo === undefined ? others : { ...others, [action.name]: combo } })
    setRecording(undefined)
    setProblem(undefined)
  }
  const take = (combo: string) => {
    if (!recording) return
    const owner = actionWithKeys(combo, chosen, actions)
    if (combo === 'escape') setRecording(undefined)
    else if (owner && owner !== recording)
      setProblem(t.taken(formatCombo(combo, isMac()), nameOf(owner.label)))
    else if (isWriting(combo) && !recording.keys.some(isWriting)) setProblem(t.alone)
    else bind(recording, combo)
  }
  useRecording(recording !== undefined, take)

  return (
    <Dialog
      title={nameOf(actionNamed('shortcuts').label)}
      onClose={() => setOverlay(undefined)}
      actions={
        Object.keys(chosen).length > 0 && (
          <Button onClick={() => setPreferences({ shortcuts: {} })}>{t.resetAll}</Button>
        )
      }
    >
      <p className="mb-3 text-sm text-muted">{t.sheetHint}</p>
      {(['everywhere', 'session'] as const).map((scope) => (
        <Section key={scope} title={t.scopes[scope]}>
          {actions
            .filter((action) => action.scope === scope)
            .map((action) => (
              <ShortcutRow
                key={action.name}
                action={action}
                isRecording={recording === action}
                problem={recording === action ? problem : undefined}
                onRecord={() => {
                  setProblem(undefined)
                  setRecording(recording === action ? undefined : action)
                }}
                onBind={(combo) => bind(action, combo)}
              />
            ))}
        </Section>
      ))}
      <Section title={t.inLists}>
        {listKeys.map(([name, keys]) => (
          <li key={name} className="flex items-center justify-between gap-2 py-1">
            {t.listKeys[name]}
            <kbd className="pr-10 font-sans text-sm text-muted">{keys}</kbd>
          </li>
        ))}
      </Section>
    </Dialog>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-4">
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      <ul className="divide-y divide-line">{children}</ul>
    </section>
  )
}

interface RowProps {
  action: Action
  isRecording: boolean
  problem?: string
  onRecord(): void
  /** Undefined goes back to the usual keys. */
  onBind(combo: string | undefined): void
}

function ShortcutRow({ action, isRecording, problem, onRecord, onBind }: RowProps) {
  const t = useTexts(actionTexts)
  const chosen = usePreferences(({ shortcuts }) => shortcuts)
  const keys = keysOf(action, chosen)
    .map((combo) => formatCombo(combo, isMac()))
    .join(', ')
  const label = useName()(action.label)
  return (
    <li className="flex flex-wrap items-center gap-1 py-1">
      <span className="min-w-40 flex-1">{label}</span>
      <Button
        size="small"
        aria-pressed={isRecording}
        aria-label={isRecording ? t.press : t.change(label, keys || t.unbound)}
        onClick={onRecord}
        className={isRecording ? 'border-accent! text-accent' : undefined}
      >
        {isRecording ? t.press : keys || t.unbound}
      </Button>
      {chosen[action.name] === undefined ? (
        <IconButton size="small" label={`${label}: ${t.remove}`} onClick={() => onBind('')}>
          <X />
        </IconButton>
      ) : (
        <IconButton size="small" label={`${label}: ${t.reset}`} onClick={() => onBind(undefined)}>
          <RotateCcw />
        </IconButton>
      )}
      {problem && (
        <p role="alert" className="w-full text-right text-sm text-danger">
          {problem}
        </p>
      )}
    </li>
  )
}

/** While keys are asked for, they reach nothing else: neither the dialog nor what they did until now. */
function useRecording(isOn: boolean, take: (combo: string) => void): void {
  useEffect(() => {
    if (!isOn) return
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'Tab' || event.isComposing) return
      event.preventDefault()
      event.stopPropagation()
      const combo = comboOf(event, isMac())
      if (combo !== undefined) take(combo)
    }
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  })
}
