import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Check, ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../../api/api.tsx'
import { workflowKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { approvalsTexts } from '../../approvals/texts.ts'
import { AskTexts, LeftOut, QuestionText } from '../../approvals/ask-texts.tsx'
import { TimeLeft } from '../../approvals/time-left.tsx'
import { useQuestionView } from '../../approvals/use-ask-view.ts'
import { useAnnounce } from '../../ui/announcer.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { runTexts } from '../texts.ts'

interface Props {
  runId: string
  step: WorkflowStep
}

/** What a person is asked by a step, and the two answers. */
export function RunQuestion({ runId, step }: Props) {
  const t = useTexts(runTexts)
  const [comment, setComment] = useState('')
  const { asWritten, showFirst } = useTexts(approvalsTexts)
  const { answer, isPending } = useAnswer(runId, step)
  const { question = '', output } = step
  const { view, showAll } = useQuestionView(question, output)
  const isWhole = view.left === undefined
  return (
    <section
      aria-label={t.question(step.path)}
      className="flex flex-col gap-3 rounded-lg border border-warning bg-mark/30 p-3"
    >
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <ShieldQuestion aria-hidden className="size-5 shrink-0 text-warning" />
        <h2 className="font-semibold">{t.questions}</h2>
        <bdi className="font-mono text-muted">{step.path}</bdi>
        <span className="flex-1" />
        {step.expiresAt !== undefined && <TimeLeft until={step.expiresAt} />}
      </div>
      <QuestionText text={question} />
      <AskTexts label={asWritten} texts={view.given} />
      <LeftOut left={view.left} onShowAll={showAll} />
      <Field label={t.comment} hint={t.commentHint}>
        {(control) => (
          <textarea
            {...control}
            dir="auto"
            rows={2}
            maxLength={10_000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          disabled={isPending || !isWhole}
          onClick={() => answer({ approved: true, comment })}
        >
          <Check aria-hidden />
          {t.approve}
        </Button>
        <Button variant="danger" disabled={isPending} onClick={() => answer({ approved: false, comment })}>
          <Ban aria-hidden />
          {t.reject}
        </Button>
        {!isWhole && <p className="basis-full text-xs text-muted">{showFirst}</p>}
      </div>
    </section>
  )
}

function useAnswer(runId: string, { token = '' }: WorkflowStep) {
  const t = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const toast = useToast()
  const { mutate, isPending } = useMutation({
    mutationFn: ({ approved, comment }: { approved: boolean; comment: string }) =>
      client.workflows.resume(runId, { scope, token, approved, comment: comment.trim() || undefined }),
    onSuccess(run, { approved }) {
      queries.setQueryData(workflowKeys.run(runId), run)
      announce(approved ? t.approved : t.rejected)
      // the buttons are gone
      document.getElementById('main')?.focus()
    },
    onError(error) {
      toast({ title: t.notDone, description: error.message })
      // somebody else, or the clock, may have answered
      void queries.invalidateQueries({ queryKey: workflowKeys.run(runId) })
    },
  })
  return { answer: mutate, isPending }
}
