import { clsx } from 'clsx'
import { Pencil } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { controlStyle } from '../ui/field.tsx'
import { onEscape } from '../ui/on-escape.ts'
import { useAfterCommit } from '../ui/use-after-commit.ts'
import { nodeTexts } from './texts.ts'
import type { Saved } from './use-plan-deeds.ts'

interface Props {
  /** Of what it is, in all the workbench: what was begun is kept under it while one looks at something else. */
  name: string
  label: string
  value: string
  /** Said where there is nothing. */
  empty: string
  /** Of what is edited: what somebody else changed after it is not overwritten. */
  version: number
  maxLength?: number
  isCode?: boolean
  hint?: string
  className?: string
  /** As it is read; default: letter for letter. */
  children?: ReactNode
  /** By the version that was there when one began to write; undefined to save over what others wrote. */
  onSave(text: string, baseVersion: number | undefined): Promise<Saved>
}

interface Draft {
  text: string
  version: number
  /** Others changed it meanwhile. */
  isConflict?: true
  isSaving?: true
  /** Begun before one looked at something else. */
  isKept?: true
}

const kept = new Map<string, Draft>()

function useKept(name: string): [Draft | undefined, (draft: Draft | undefined) => void] {
  const [draft, setDraft] = useState(() => kept.get(name))
  return [
    draft,
    (next) => {
      setDraft(next)
      if (next) kept.set(name, { text: next.text, version: next.version, isKept: true })
      else kept.delete(name)
    },
  ]
}

/** A text that is read until somebody wants to change it. */
export function EditableText(props: Props) {
  const { name, label, value, empty, version, className, children, onSave } = props
  const t = useTexts(nodeTexts)
  const [draft, setDraft] = useKept(name)
  const button = useRef<HTMLButtonElement>(null)
  const afterCommit = useAfterCommit()
  const close = () => {
    setDraft(undefined)
    afterCommit(() => button.current?.focus())
  }
  const save = async (baseVersion: number | undefined) => {
    if (!draft || draft.isSaving) return
    if (draft.text === value) return close()
    setDraft({ ...draft, isSaving: true })
    const saved = await onSave(draft.text, baseVersion)
    if (saved === 'saved') close()
    else setDraft({ text: draft.text, version, ...(saved === 'conflict' && { isConflict: true }) })
  }
  if (draft)
    return (
      <Editor
        {...props}
        draft={draft}
        onChange={(text) => setDraft({ ...draft, text })}
        onSave={() => void save(draft.isConflict ? undefined : draft.version)}
        onClose={close}
      />
    )
  return (
    <div className={clsx('group flex items-start gap-1', className)}>
      <div dir="auto" className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap">
        {value === '' ? <span className="text-muted">{empty}</span> : (children ?? value)}
      </div>
      <IconButton
        ref={button}
        size="small"
        label={t.edit(label)}
        onClick={() => setDraft({ text: value, version })}
      >
        <Pencil />
      </IconButton>
    </div>
  )
}

interface EditorProps extends Omit<Props, 'name' | 'onSave'> {
  draft: Draft
  onChange(text: string): void
  onSave(): void
  onClose(): void
}

function Editor({
  label,
  value,
  hint,
  maxLength,
  isCode,
  className,
  draft,
  onChange,
  onSave,
  onClose,
}: EditorProps) {
  const t = useTexts(nodeTexts)
  const { cancel } = useTexts(appTexts)
  return (
    <div className={clsx('flex flex-col gap-2', className)}>
      <textarea
        // the person asked for this box a moment ago
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={!draft.isKept}
        aria-label={label}
        dir="auto"
        maxLength={maxLength}
        spellCheck={!isCode}
        rows={Math.min(16, Math.max(3, draft.text.split('\n').length + 1))}
        value={draft.text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          onEscape(onClose)(event)
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave()
        }}
        className={clsx(controlStyle, isCode && 'font-mono text-[13px]')}
      />
      {hint && <p className="text-xs text-muted">{hint}</p>}
      {draft.isConflict && (
        <div role="alert" className="rounded-md border border-line bg-mark p-2 text-sm">
          <p className="font-medium">{t.changedMeanwhile}</p>
          <p dir="auto" className="mt-1 max-h-40 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
            {value}
          </p>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" onClick={onClose}>
          {draft.isConflict ? t.takeTheirs : cancel}
        </Button>
        <Button size="small" variant="primary" disabled={draft.isSaving} onClick={onSave}>
          {draft.isConflict ? t.keepMine : t.save}
        </Button>
      </div>
    </div>
  )
}
