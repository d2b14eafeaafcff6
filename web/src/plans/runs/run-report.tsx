import type { PlanRun } from '../../../../src/extensions/plan/protocol/plan-run.ts'
import { useTexts } from '../../shell/texts.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { planRunTexts } from '../texts.ts'

/** What an execution came to; there is none before it is over. */
export function RunReport({ run: { report } }: { run: PlanRun }) {
  const t = useTexts(planRunTexts)
  if (report === undefined) return null
  return (
    <ScrollBox label={t.report} className="max-h-72 border-t border-line px-4 py-2">
      <Markdown text={report} />
    </ScrollBox>
  )
}
