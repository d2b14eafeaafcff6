import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, ListTodo, Unlink } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { planKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { IconButton } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { PlanLink } from '../plan-link.tsx'
import { planTexts, sessionPlanTexts } from '../texts.ts'
import { Progress } from '../progress.tsx'
import { BindPlan, useBinding } from './bind-plan.tsx'

/** Says above the box which plan the session works on, and changes that. */
export function PlanChip({ session }: { session: Session }) {
  const t = useTexts(sessionPlanTexts)
  const { notDone } = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const toast = useToast()
  const [isBinding, setBinding] = useState(false)
  const { mutate, isPending } = useBinding(session)
  const { planId } = session
  const { data: plan, error } = useQuery({
    queryKey: planKeys.plans({ scope, id: planId }),
    queryFn: () => client.plans.get(planId!, { scope }),
    enabled: planId !== undefined,
  })
  return (
    <section
      aria-label={t.label}
      className="mb-1.5 flex min-w-0 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 py-0.5 text-sm"
    >
      <ListTodo aria-hidden className="size-4 shrink-0 text-muted" />
      {planId === undefined ? (
        <span className="min-w-0 flex-1 truncate text-muted">{t.notBound}</span>
      ) : (
        <>
          <PlanLink planId={planId} className="min-w-0 flex-1 truncate font-medium hover:underline">
            <bdi>{plan?.title ?? (error ? t.gone : planId)}</bdi>
          </PlanLink>
          {plan && <Progress counts={plan.counts} className="max-sm:hidden" />}
        </>
      )}
      <IconButton
        size="small"
        label={planId === undefined ? t.bind : t.rebind}
        onClick={() => setBinding(true)}
      >
        <ChevronsUpDown />
      </IconButton>
      {planId !== undefined && (
        <IconButton
          size="small"
          label={t.unbind}
          disabled={isPending}
          onClick={() =>
            mutate(null, {
              onError: ({ message }) => toast({ title: notDone, description: message, isProblem: true }),
            })
          }
        >
          <Unlink />
        </IconButton>
      )}
      {isBinding && <BindPlan session={session} onClose={() => setBinding(false)} />}
    </section>
  )
}
