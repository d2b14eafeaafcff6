import { CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react'
import type { NodeCheck, PlanNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { EditableText } from '../editable-text.tsx'
import { nodeTexts } from '../texts.ts'
import type { PlanDeeds } from '../use-plan-deeds.ts'

interface Props {
  planId: string
  node: PlanNode
  version: number
  deeds: PlanDeeds
}

/** What has to hold before the node counts as done, one check in a line, with how each came out. */
export function Acceptance({ planId, node, version, deeds }: Props) {
  const t = useTexts(nodeTexts)
  const wanted = node.acceptance ?? []
  const results = node.result?.checks ?? []
  return (
    <EditableText
      isCode
      name={`${planId}/${node.id}/acceptance`}
      label={t.acceptance}
      value={wanted.join('\n')}
      empty={t.noAcceptance}
      hint={t.acceptanceHint}
      version={version}
      onSave={(text, base) => deeds.update(node.id, { acceptance: linesOf(text) }, base)}
    >
      <ul aria-label={t.acceptance} className="flex flex-col gap-0.5">
        {wanted.map((check) => (
          <Check key={check} check={check} result={results.find((one) => one.check === check)} />
        ))}
      </ul>
    </EditableText>
  )
}

const linesOf = (text: string) => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

export function Check({ check, result }: { check: string; result?: NodeCheck }) {
  const t = useTexts(nodeTexts)
  const [Icon, colour, word] = !result
    ? [CircleDashed, 'text-muted', t.unchecked]
    : result.passed
      ? [CircleCheck, 'text-[var(--run-completed)]', t.passed]
      : result.warning
        ? [TriangleAlert, 'text-warning', t.warned]
        : [CircleAlert, 'text-danger', t.notPassed]
  return (
    <li className="flex items-start gap-1.5">
      <Icon role="img" aria-label={word} className={`mt-0.5 size-4 shrink-0 ${colour}`} />
      <span className="min-w-0">
        <bdi className="font-mono text-[13px] wrap-anywhere">{check}</bdi>
        {result && !result.passed && (
          <bdi className={`block wrap-anywhere ${result.warning ? 'text-warning' : 'text-danger'}`}>
            {result.message}
          </bdi>
        )}
      </span>
    </li>
  )
}
