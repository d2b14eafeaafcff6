import { useEffect, useMemo, useRef, useState } from 'react'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Empty } from '../ui/states.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { allSteps } from './definition.ts'
import { EditorBar } from './editor-bar.tsx'
import type { CodeBoxHandle } from './editor/code-box.tsx'
import { YamlEditor } from './editor/yaml-editor.tsx'
import { StepTable } from './graph/step-table.tsx'
import { StepsPane, useStepsForm } from './graph/steps-pane.tsx'
import { ProblemList } from './problem-list.tsx'
import type { Draft } from './use-draft.ts'
import { useSave } from './use-save.ts'
import { useSchema } from './use-schema.ts'
import { useVerdict } from './use-verdict.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  workflow: Workflow
  draft: Draft
}

/** The text on one side and what it means on the other, each leading to the place in the other. */
export function EditTab({ workflow, draft }: Props) {
  const t = useTexts(workflowTexts)
  const [{ steps: chosen }, setSearch] = useSearchState<'steps'>()
  const form = useStepsForm(chosen)
  const [selected, setSelected] = useState<string>()
  const editor = useRef<CodeBoxHandle>(null)
  const verdict = useVerdict(draft.text)
  const saving = useSave(workflow.id, draft)
  const schema = useSchema()
  const steps = useMemo(
    () => (verdict.definition ? allSteps(verdict.definition.steps) : []),
    [verdict.definition],
  )
  const problems = saving.problems ?? verdict.problems
  const isStale = verdict.definition !== undefined && problems.length > 0
  useSaveKeys(saving.save)
  const pick = (id: string) => {
    setSelected(id)
    editor.current?.goToStep(id)
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <EditorBar draft={draft} verdict={verdict} saving={saving} />
      <div className="grid min-h-0 flex-1 grid-rows-[minmax(20rem,3fr)_minmax(18rem,2fr)] overflow-y-auto lg:grid-cols-2 lg:grid-rows-1 lg:overflow-hidden">
        <div className="flex min-h-0 min-w-0 flex-col border-line max-lg:border-b lg:border-e">
          <div className="min-h-0 flex-1">
            <YamlEditor
              handle={editor}
              label={t.definition}
              value={draft.text}
              problems={problems}
              schema={schema}
              steps={steps}
              onChange={draft.setText}
              onStep={setSelected}
            />
          </div>
          <ProblemList
            problems={problems}
            onPick={({ line = 1, column = 1 }) => editor.current?.goToLine(line, column)}
          />
        </div>
        <div className="min-h-0 min-w-0">
          {verdict.definition ? (
            <StepsPane
              definition={verdict.definition}
              form={form}
              onForm={(next) => setSearch({ steps: next }, { replace: true })}
              note={isStale && t.stale}
              selected={selected}
              onPick={pick}
              table={<StepTable definition={verdict.definition} selected={selected} onPick={pick} />}
            />
          ) : (
            <Empty>{t.nothingToDraw}</Empty>
          )}
        </div>
      </div>
      {saving.conflict && (
        <ConflictDialog
          theirs={saving.conflict}
          mine={draft.text}
          isBusy={saving.isSaving}
          onTake={() => {
            draft.rebase(saving.conflict!)
            saving.closeConflict()
          }}
          onKeep={(text) => {
            draft.rebase(saving.conflict!, text)
            saving.saveOver(saving.conflict!, text)
          }}
          onClose={saving.closeConflict}
        />
      )}
    </div>
  )
}

/** Where one writes the browser must not offer to save the page. */
function useSaveKeys(save: () => void): void {
  const latest = useRef(save)
  useEffect(() => {
    latest.current = save
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (event.key.toLowerCase() !== 's') return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
