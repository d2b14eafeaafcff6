import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import type { Arg } from './definition.ts'
import { ArgFields } from './arg-fields.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { readArgs, toDraft, type ArgDraft } from './run-args.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  workflow: { id: string; name: string; args?: Record<string, Arg> }
  /** Something is said above the form. */
  note?: string
  onClose(): void
}

/** Asks for what the workflow wants to be given, starts it and goes to the run. */
export function RunForm({ workflow, note, onClose }: Props) {
  const t = useTexts(workflowTexts)
  const args = workflow.args ?? {}
  const [draft, setDraft] = useState<ArgDraft>(() => toDraft(args))
  const [isTried, setTried] = useState(false)
  const read = readArgs(args, draft)
  const problems = isTried && 'problems' in read ? read.problems : {}
  const { start, isPending, error } = useStart(workflow.id)
  const submit = () => {
    setTried(true)
    if ('args' in read) start(read.args)
  }
  return (
    <FormDialog
      title={t.runTitle(workflow.name)}
      label={t.start}
      isDisabled={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {note && <p className="text-sm text-warning">{note}</p>}
      {Object.keys(args).length === 0 && <p className="text-muted">{t.runNoArgs}</p>}
      <ArgFields args={args} draft={draft} problems={problems} onChange={setDraft} />
    </FormDialog>
  )
}

function useStart(id: string) {
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (args: Record<string, unknown>) => client.workflows.run(id, { scope, args: args as never }),
    onSuccess(run) {
      void queries.invalidateQueries({ queryKey: ['workflow-runs'] })
      goTo(`/workflow-runs/${run.id}`)
    },
  })
  return { start: mutate, isPending, error }
}
