import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkflowRun } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { ArgFields } from '../arg-fields.tsx'
import { readDefinition } from '../definition.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { readArgs, toDraft } from '../run-args.ts'
import { useGoTo } from '../../shell/use-go-to.ts'
import { runTexts } from '../texts.ts'

interface Props {
  run: WorkflowRun
  onClose(): void
}

/** All again, with the same args or with others, or from a step on with what the steps before it said. */
export function RerunDialog({ run, onClose }: Props) {
  const t = useTexts(runTexts)
  const { args = {}, steps = [] } = readDefinition(run.definition) ?? {}
  const [fromStep, setFromStep] = useState('')
  const [draft, setDraft] = useState(() => toDraft(args, run.args))
  const [isTried, setTried] = useState(false)
  const read = readArgs(args, draft)
  const { rerun, isPending, error } = useRerun(run.id)
  const submit = () => {
    setTried(true)
    if (fromStep !== '') rerun({ fromStep })
    else if ('args' in read) rerun({ args: read.args })
  }
  return (
    <FormDialog
      title={t.rerunTitle}
      label={t.rerunStart}
      isDisabled={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-sm text-muted">{t.rerunWords}</p>
      <Field label={t.rerunFrom} hint={fromStep === '' ? undefined : t.rerunSameArgs}>
        {(control) => (
          <select {...control} value={fromStep} onChange={(event) => setFromStep(event.target.value)}>
            <option value="">{t.rerunWhole}</option>
            {steps.slice(1).map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        )}
      </Field>
      {fromStep === '' && (
        <ArgFields
          args={args}
          draft={draft}
          problems={isTried && 'problems' in read ? read.problems : {}}
          onChange={setDraft}
        />
      )}
    </FormDialog>
  )
}

function useRerun(runId: string) {
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (given: { fromStep?: string; args?: Record<string, unknown> }) =>
      client.workflows.rerun(runId, { scope, ...given }),
    onSuccess(next) {
      void queries.invalidateQueries({ queryKey: ['workflow-runs'] })
      goTo(`/workflow-runs/${next.id}`)
    },
  })
  return { rerun: mutate, isPending, error }
}
