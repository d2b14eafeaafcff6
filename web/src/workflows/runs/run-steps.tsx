import { ChevronRight } from 'lucide-react'
import { useMemo, type CSSProperties } from 'react'
import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { StatusTag } from '../status-tag.tsx'
import { Elapsed } from '../../ui/elapsed.tsx'
import { isFailure } from './overlay.ts'
import { roundsPerPage, toRunRows, type Folding, type RunRow } from './run-rows.ts'
import { headClasses, rowClasses } from './row-classes.ts'
import { StepRow } from './step-row.tsx'
import { runTexts } from '../texts.ts'

interface Props {
  steps: readonly WorkflowStep[]
  /** The id of a step that is looked at in the graph. */
  selected?: string
  folding: Folding
  onFold(folding: Folding): void
}

/** What was begun in a run, with what it said: steps inside of others below them, many rounds folded. */
export function RunSteps({ steps, selected, folding, onFold }: Props) {
  const t = useTexts(runTexts)
  const rows = useMemo(() => toRunRows(steps, folding), [steps, folding])
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold">{t.steps}</h2>
      {steps.length === 0 ? (
        <p className="text-sm text-muted">{t.notBegun}</p>
      ) : (
        <ScrollRegion label={t.steps} className="rounded-lg border border-line">
          <table className="w-full text-sm max-sm:block [&>tbody]:max-sm:block">
            <thead className="text-muted max-sm:sr-only">
              <tr className="border-b border-line [&>th]:px-3 [&>th]:py-1.5 [&>th]:text-start [&>th]:font-medium [&>th]:whitespace-nowrap">
                <th scope="col">{t.path}</th>
                <th scope="col">{t.status}</th>
                <th scope="col">{t.duration}</th>
                <th scope="col">{t.result}</th>
                <th scope="col">{t.session}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) =>
                row.type === 'step' ? (
                  <StepRow
                    key={row.key}
                    step={row.step}
                    depth={row.depth}
                    isSelected={row.step.stepId === selected}
                  />
                ) : row.type === 'round' ? (
                  <RoundRow
                    key={row.key}
                    row={row}
                    onFold={(isOpen) =>
                      onFold({ ...folding, rounds: new Map(folding.rounds).set(row.key, isOpen) })
                    }
                  />
                ) : (
                  <MoreRow
                    key={row.key}
                    row={row}
                    onMore={() => {
                      const listed = folding.listed.get(row.path) ?? roundsPerPage
                      onFold({
                        ...folding,
                        listed: new Map(folding.listed).set(row.path, listed + 5 * roundsPerPage),
                      })
                    }}
                  />
                ),
              )}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </section>
  )
}

interface RoundProps {
  row: Extract<RunRow, { type: 'round' }>
  onFold(isOpen: boolean): void
}

function RoundRow({ row, onFold }: RoundProps) {
  const t = useTexts(runTexts)
  const { key, round, depth, status, startedAt, finishedAt, preview, isOpen } = row
  return (
    <tr className={`${rowClasses} bg-surface`} data-round={key}>
      <th scope="row" className={headClasses} style={{ '--depth': depth } as CSSProperties}>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => onFold(!isOpen)}
          className="flex min-h-6 items-center gap-1 rounded whitespace-nowrap hover:text-accent"
        >
          <ChevronRight aria-hidden className={`size-4 shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
          {t.round(round)}
        </button>
      </th>
      <td>
        <StatusTag status={status} />
      </td>
      <td>
        <Elapsed startedAt={startedAt} finishedAt={finishedAt} />
      </td>
      <td colSpan={2} className="max-sm:basis-full max-sm:empty:hidden">
        {!isOpen && preview !== undefined && (
          <bdi className={`line-clamp-1 wrap-anywhere ${isFailure(status) ? 'text-danger' : 'text-muted'}`}>
            {preview}
          </bdi>
        )}
      </td>
    </tr>
  )
}

interface MoreProps {
  row: Extract<RunRow, { type: 'more' }>
  onMore(): void
}

function MoreRow({ row: { path, depth, hidden, rounds }, onMore }: MoreProps) {
  const t = useTexts(runTexts)
  return (
    <tr className={`${rowClasses} bg-surface`} data-more={path}>
      <td colSpan={5} className="text-muted" style={{ paddingInlineStart: 12 + depth * 16 }}>
        {t.roundCounts(rounds)}
        <Button size="small" className="ms-3" onClick={onMore}>
          {t.moreRounds(Math.min(hidden, 5 * roundsPerPage))}
        </Button>
      </td>
    </tr>
  )
}
