import { ArrowLeft, ChevronRight, RotateCw, Square } from 'lucide-react'
import { useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { WorkflowRun } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { readDefinition } from '../definition.ts'
import { YamlEditor } from '../editor/yaml-editor.tsx'
import { heightOf } from '../graph/height-of.ts'
import { margin } from '../graph/sizes.ts'
import { StepGraph } from '../graph/step-graph.tsx'
import { useStepsForm } from '../graph/steps-pane.tsx'
import { isOver } from '../run-statuses.ts'
import { useGoTo } from '../../shell/use-go-to.ts'
import { workflowTexts, runTexts } from '../texts.ts'
import { CancelRun } from './cancel-run.tsx'
import { activeStepOf, mostUrgent, standingsOf } from './overlay.ts'
import { RerunDialog } from './rerun-dialog.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunQuestion } from './run-question.tsx'
import { RunResult } from './run-result.tsx'
import { roundsAround, type Folding } from './run-rows.ts'
import { RunSteps } from './run-steps.tsx'

// a screen has to have room for what is around it
const mostGraphPx = 544

/** One run: how it stands, what it asks, what its steps said, and what came of it. */
export function RunView({ run }: { run: WorkflowRun }) {
  const t = useTexts(runTexts)
  const { graph, graphOf } = useTexts(workflowTexts)
  const goTo = useGoTo()
  const [{ form, steps: chosen }, setSearch] = useSearchState<'form' | 'steps'>()
  // the table below says the same
  const isDrawn = useStepsForm(chosen) === 'graph'
  const [isCancelling, setCancelling] = useState(false)
  const [selected, setSelected] = useState<string>()
  const definition = useMemo(() => readDefinition(run.definition), [run.definition])
  const standings = useMemo(() => standingsOf(run.steps), [run.steps])
  const active = isOver(run.status) ? undefined : activeStepOf(run.steps)
  const questions = isOver(run.status)
    ? []
    : run.steps.filter(({ status, token }) => status === 'paused' && token !== undefined)
  const [folding, setFolding] = useState<Folding>({ rounds: new Map(), listed: new Map() })
  const pick = (id: string) => {
    setSelected(id)
    const path = mostUrgent(run.steps.filter(({ stepId }) => stepId === id))?.path
    if (path === undefined) return
    const around = roundsAround(path).map((key) => [key, true] as const)
    // drawn before it is looked for
    flushSync(() => setFolding((was) => ({ ...was, rounds: new Map([...was.rounds, ...around]) })))
    document.querySelector(`[data-path="${CSS.escape(path)}"]`)?.scrollIntoView({ block: 'center' })
  }
  return (
    <PageFrame
      title={t.runOf(run.name)}
      actions={
        <>
          <IconButton label={t.backToAll} onClick={() => goTo('/workflow-runs')} className="order-first">
            <ArrowLeft />
          </IconButton>
          {isOver(run.status) ? (
            <Button size="small" onClick={() => setSearch({ form: 'rerun' })}>
              <RotateCw aria-hidden />
              {t.rerun}
            </Button>
          ) : (
            <Button size="small" variant="danger" onClick={() => setCancelling(true)}>
              <Square aria-hidden />
              {t.cancel}
            </Button>
          )}
        </>
      }
    >
      <div className="mx-auto flex max-w-6xl flex-col gap-5 p-4">
        <RunFacts run={run} />
        {questions.map((step) => (
          <RunQuestion key={step.token} runId={run.id} step={step} />
        ))}
        <RunResult run={run} />
        {definition && (
          <section className="flex flex-col gap-2">
            <Button
              size="small"
              variant="ghost"
              className="self-start"
              aria-expanded={isDrawn}
              onClick={() => setSearch({ steps: isDrawn ? 'table' : 'graph' }, { replace: true })}
            >
              <ChevronRight aria-hidden className={isDrawn ? 'rotate-90' : ''} />
              {graph}
            </Button>
            {isDrawn && (
              <div
                className="overflow-hidden rounded-lg border border-line"
                style={{ height: Math.min(mostGraphPx, heightOf(definition.steps) + 2 * margin + 2) }}
              >
                <StepGraph
                  isInPage
                  label={graphOf}
                  definition={definition}
                  standings={standings}
                  selected={selected}
                  active={active}
                  onPick={pick}
                />
              </div>
            )}
          </section>
        )}
        <RunSteps steps={run.steps} selected={selected} folding={folding} onFold={setFolding} />
        <details className="rounded-lg border border-line">
          <summary className="px-3 py-2 text-sm font-semibold">{t.definitionThen}</summary>
          <div className="h-96 border-t border-line">
            <YamlEditor isReadOnly label={t.definitionThen} value={run.text} />
          </div>
        </details>
      </div>
      {isCancelling && <CancelRun runId={run.id} onClose={() => setCancelling(false)} />}
      {form === 'rerun' && <RerunDialog run={run} onClose={() => setSearch({ form: undefined })} />}
    </PageFrame>
  )
}
