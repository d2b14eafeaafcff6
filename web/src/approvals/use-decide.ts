import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ParleyError, type Approval, type DecideApproval } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { approvalKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { useToast } from '../ui/toast.tsx'
import { approvalsTexts } from './texts.ts'

export type Answer = Omit<DecideApproval, 'scope'>

/** Answers an ask. Somebody else may have been faster: then what they said is shown. */
export function useDecide({ id }: Approval) {
  const t = useTexts(approvalsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  return useMutation({
    mutationFn: (answer: Answer) => client.approvals.decide(id, { scope, ...answer }),
    onSuccess(decided) {
      queries.setQueryData(approvalKeys.approval(id), decided)
      announce(decided.status === 'approved' ? t.approved : t.denied)
    },
    onError(error) {
      if (error instanceof ParleyError && error.code === 'conflict') toast({ title: t.late })
      else toast({ title: t.failed, description: error.message })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  })
}
