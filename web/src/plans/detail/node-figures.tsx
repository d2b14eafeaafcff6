import type { ReactNode } from 'react'
import type { PlanNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { formatDuration } from '../../ui/duration.ts'
import { nodeTexts } from '../texts.ts'

/** What a node cost, and when it was. */
export function NodeFigures({ node }: { node: PlanNode }) {
  const t = useTexts(nodeTexts)
  const { count, money } = useFormats()
  const { cost, tokens, result, updatedAt } = node
  const { inputTokens, outputTokens, attempts, durationMs } = result ?? {}
  const used =
    inputTokens !== undefined && outputTokens !== undefined
      ? t.tokensInOut(count(inputTokens), count(outputTokens))
      : tokens !== undefined && tokens > 0
        ? t.tokens(count(tokens))
        : undefined
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-xs [&>dt]:text-muted">
      {cost !== undefined && cost > 0 && <Fact label={t.costLabel}>{money(cost)}</Fact>}
      {used !== undefined && <Fact label={t.tokensLabel}>{used}</Fact>}
      {attempts !== undefined && attempts > 1 && <Fact label={t.attempts}>{attempts}</Fact>}
      {durationMs !== undefined && <Fact label={t.took}>{formatDuration(durationMs, false)}</Fact>}
      <Fact label={t.changed}>
        <RelativeTime time={updatedAt} />
      </Fact>
    </dl>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd className="tabular-nums">{children}</dd>
  </>
)
