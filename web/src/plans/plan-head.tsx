import { useMemo } from 'react'
import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useTexts } from '../shell/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useFormats } from '../ui/use-formats.ts'
import { EditableText } from './editable-text.tsx'
import { planTexts } from './texts.ts'
import type { Tree } from './plan-tree.ts'
import { Progress } from './progress.tsx'
import { countStatuses } from './status.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'

interface Props {
  plan: Plan
  tree: Tree
  deeds: PlanDeeds
}

// as long as the server takes it
const maxDescription = 20_000

/** What a plan is for, and how far it is. */
export function PlanHead({ plan, tree, deeds }: Props) {
  const t = useTexts(planTexts)
  const { money } = useFormats()
  // known sooner here than it is counted there
  const counts = useMemo(() => countStatuses(tree.nodes), [tree])
  return (
    <section aria-label={t.about} className="flex shrink-0 flex-col gap-1 border-b border-line px-4 py-2">
      <EditableText
        name={`${plan.id}/description`}
        label={t.description}
        value={plan.description}
        empty={t.noDescription}
        version={plan.version}
        maxLength={maxDescription}
        className="text-sm"
        onSave={async (description) => ((await deeds.change({ description })) ? 'saved' : 'refused')}
      >
        <bdi className="line-clamp-3" title={plan.description}>
          {plan.description}
        </bdi>
      </EditableText>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        <Progress counts={counts} />
        {plan.cost !== undefined && plan.cost > 0 && <span>{t.cost(money(plan.cost))}</span>}
        <span>
          {t.changed} <RelativeTime time={plan.updatedAt} />
        </span>
        <span>{t.version(plan.version)}</span>
      </div>
    </section>
  )
}
