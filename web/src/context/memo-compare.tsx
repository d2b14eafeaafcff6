import { useState } from 'react'
import type { MemoVersion } from '../../../src/core/protocol/window.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { contextTexts } from './texts.ts'
import { DiffText } from './diff-text.tsx'
import { diffMemos } from './memo-diff.ts'
import { ModeSwitch, type DiffMode } from './mode-switch.tsx'

interface Pair {
  before: number
  after: number
}

interface Props extends Pair {
  /** Newest first, as far as they were read. */
  versions: readonly MemoVersion[]
  onChange(pair: Pair): void
}

/** What one version of the memo says and another does not. */
export function MemoCompare({ versions, before, after, onChange }: Props) {
  const t = useTexts(contextTexts)
  const [mode, setMode] = useState<DiffMode>('lines')
  const memoOf = (wanted: number) => versions.find(({ version }) => version === wanted)?.memo ?? {}
  const changes = diffMemos(memoOf(before), memoOf(after))
  const pick = (label: string, value: number, set: (version: number) => void) => (
    <Field label={label} className="min-w-0 flex-1">
      {(control) => (
        <select {...control} value={value} onChange={(event) => set(Number(event.target.value))}>
          {versions.map(({ version }) => (
            <option key={version} value={version}>
              {t.memoVersion(version)}
            </option>
          ))}
          <option value={0}>{t.emptyVersion}</option>
        </select>
      )}
    </Field>
  )
  return (
    <section className="flex flex-col gap-2" aria-label={t.versionDiff}>
      <h3 className="text-sm font-semibold">{t.versionDiff}</h3>
      <div className="flex gap-2">
        {pick(t.before, before, (version) => onChange({ before: version, after }))}
        {pick(t.after, after, (version) => onChange({ before, after: version }))}
      </div>
      {changes.length === 0 ? (
        <p className="text-sm text-muted">{t.noMemoDifference}</p>
      ) : (
        <ModeSwitch value={mode} onChange={setMode} />
      )}
      {changes.map((change) => (
        <div key={change.key} className="overflow-hidden rounded-md border border-line">
          <h4 className="bg-hover px-2 py-1 font-mono text-sm">{change.key}</h4>
          <DiffText label={change.key} before={change.before} after={change.after} mode={mode} />
        </div>
      ))}
    </section>
  )
}
