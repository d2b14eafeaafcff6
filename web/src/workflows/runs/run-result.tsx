import type { WorkflowRun } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../../shell/texts.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { ValueView } from '../../ui/value-view.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { isOver } from '../run-statuses.ts'
import { runTexts } from '../texts.ts'

/** What came of a run. */
export function RunResult({ run: { status, output, data } }: { run: WorkflowRun }) {
  const t = useTexts(runTexts)
  if (!isOver(status) || (!output && isNothing(data))) return null
  return (
    <section aria-label={t.output} className="overflow-hidden rounded-lg border border-line">
      {output && (
        <>
          <div className="flex items-center justify-between px-3 pt-2">
            <h2 className="text-sm font-semibold">{t.output}</h2>
            <CopyButton text={output} />
          </div>
          <ScrollRegion label={t.output} className="max-h-72 px-3 pb-3">
            <div dir="auto">
              <Markdown text={output} />
            </div>
          </ScrollRegion>
        </>
      )}
      {!isNothing(data) && <ValueView label={t.data} value={data} />}
    </section>
  )
}

const isNothing = (value: unknown) => value === undefined || value === null
