import { CircleAlert, CircleCheck, LoaderCircle, RotateCcw, Save } from 'lucide-react'
import { formatCombo, isMac } from '../shell/key-combo.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import type { Draft } from './use-draft.ts'
import type { Saving } from './use-save.ts'
import type { Verdict } from './use-verdict.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  draft: Draft
  verdict: Verdict
  saving: Saving
}

/** How the text stands, and the buttons that keep it or give it up. */
export function EditorBar({ draft, verdict, saving }: Props) {
  const t = useTexts(workflowTexts)
  const { newer } = draft
  const keys = formatCombo('mod+s', isMac())
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1 text-sm">
      <Check verdict={verdict} />
      <span className="text-muted">
        {t.version(draft.base.version)}
        {draft.isChanged && <span className="text-warning"> · {t.unsaved}</span>}
      </span>
      {newer && (
        <span role="status" className="flex items-center gap-2 text-warning">
          {t.newer(newer.version)}
          <Button size="small" onClick={() => saving.openConflict(newer)}>
            {t.compare}
          </Button>
        </span>
      )}
      <span className="flex-1" />
      {draft.isChanged && (
        <Button size="small" variant="ghost" onClick={() => draft.rebase(draft.newer ?? draft.base)}>
          <RotateCcw aria-hidden />
          {t.discard}
        </Button>
      )}
      <Button
        size="small"
        variant="primary"
        disabled={!draft.isChanged || saving.isSaving}
        title={keys}
        aria-keyshortcuts={isMac() ? 'Meta+S' : 'Control+S'}
        onClick={saving.save}
      >
        <Save aria-hidden />
        {saving.isSaving ? t.saving : t.save}
      </Button>
    </div>
  )
}

function Check({ verdict: { problems, isChecked, error } }: Pick<Props, 'verdict'>) {
  const t = useTexts(workflowTexts)
  if (error)
    return (
      <span className="flex items-center gap-1.5 text-danger">
        <CircleAlert aria-hidden className="size-4" />
        {t.notChecked(error.message)}
      </span>
    )
  if (!isChecked && problems.length === 0)
    return (
      <span className="flex items-center gap-1.5 text-muted">
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
        {t.checking}
      </span>
    )
  return problems.length === 0 ? (
    <span className="flex items-center gap-1.5 text-[var(--run-completed)]">
      <CircleCheck aria-hidden className="size-4" />
      {t.noProblems}
    </span>
  ) : (
    <span className="flex items-center gap-1.5 text-danger">
      <CircleAlert aria-hidden className="size-4" />
      {t.problems(problems.length)}
    </span>
  )
}
