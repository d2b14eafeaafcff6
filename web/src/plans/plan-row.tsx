import { EllipsisVertical, Pencil, Trash2 } from 'lucide-react'
import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useTexts } from '../shell/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useFormats } from '../ui/use-formats.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { PlanLink } from './plan-link.tsx'
import { planTexts } from './texts.ts'
import { Progress } from './progress.tsx'
import { StatusTag } from './status-mark.tsx'

interface Props {
  plan: Plan
  onDelete(): void
}

export function PlanRow({ plan, onDelete }: Props) {
  const t = useTexts(planTexts)
  const { money } = useFormats()
  const goTo = useGoTo()
  const { id, title, description, counts, cost, activeRunId, updatedAt } = plan
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <PlanLink planId={id} className="line-clamp-2 min-w-0 font-medium hover:underline">
            <bdi>{title}</bdi>
          </PlanLink>
          {activeRunId !== undefined && <StatusTag status="running" />}
        </div>
        {description && (
          <p className="line-clamp-2 text-sm text-muted">
            <bdi>{description}</bdi>
          </p>
        )}
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <Progress counts={counts} />
          {cost !== undefined && cost > 0 && <span>{t.cost(money(cost))}</span>}
          <span>
            {t.changed} <RelativeTime time={updatedAt} />
          </span>
        </div>
      </div>
      <Menu
        trigger={
          <IconButton size="small" label={t.actionsOf(title)}>
            <EllipsisVertical />
          </IconButton>
        }
        items={[
          { name: 'open', label: t.open, icon: Pencil, perform: () => goTo(`/plans/${id}`) },
          { name: 'delete', label: t.remove, icon: Trash2, isDangerous: true, perform: onDelete },
        ]}
      />
    </li>
  )
}
