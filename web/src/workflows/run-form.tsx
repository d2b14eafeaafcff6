import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import type { Arg } from './definition.ts'
import { ArgFields } from './arg-fields.tsx'
import { FormEnd } from '../ui/form-end.tsx'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if ('args' in read && !isPending) start(read.args)
  }
  return (
    <Dialog title={t.runTitle(workflow.name)} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
        {note && <p className="text-sm text-warning">{note}</p>}
        {Object.keys(args).length === 0 && <p className="text-muted">{t.runNoArgs}</p>}
        <ArgFields args={args} draft={draft} problems={problems} onChange={setDraft} />
        <FormEnd error={error} label={t.start} isBusy={isPending} onClose={onClose} />
      </form>
    </Dialog>
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
