import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useTexts } from '../shell/texts.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { DecomposeForm } from './decompose-form.tsx'
import { DeletePlan } from './delete-plan.tsx'
import { ExecuteForm } from './execute-form.tsx'
import { ImportForm } from './import-form.tsx'
import { planTexts } from './texts.ts'
import type { Tree } from './plan-tree.ts'
import { RunsDialog } from './runs/runs-dialog.tsx'
import type { PlanDeeds } from './use-plan-deeds.ts'
import { VersionsDialog } from './versions-dialog.tsx'

export type PlanForm = 'execute' | 'decompose' | 'import' | 'versions' | 'runs' | 'delete'

interface Props {
  plan: Plan
  tree: Tree
  deeds: PlanDeeds
  /** As the URL says it. */
  form: string | undefined
  onClose(): void
}

/** What lies over a plan while something is about to be done with all of it. */
export function PlanForms({ plan, tree, deeds, form, onClose }: Props) {
  const t = useTexts(planTexts)
  const goTo = useGoTo()
  switch (form) {
    case 'execute':
      return <ExecuteForm tree={tree} deeds={deeds} onClose={onClose} />
    case 'decompose':
      return <DecomposeForm title={t.decomposeTitle(plan.title)} deeds={deeds} onClose={onClose} />
    case 'import':
      return <ImportForm tree={tree} deeds={deeds} onClose={onClose} />
    case 'versions':
      return <VersionsDialog planId={plan.id} deeds={deeds} onClose={onClose} />
    case 'runs':
      return <RunsDialog planId={plan.id} onClose={onClose} />
    case 'delete':
      return <DeletePlan plan={plan} onClose={onClose} onDeleted={() => goTo('/plans')} />
    default:
      return null
  }
}
