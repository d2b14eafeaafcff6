import { Ban, Check, Pencil } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../app/texts.ts'
import { Button } from '../ui/button.tsx'
import { approvalsTexts } from './approvals-texts.ts'
import { DenyForm } from './deny-form.tsx'
import { EditForm } from './edit-form.tsx'
import { useDecide, type Answer } from './use-decide.ts'
import { rememberPlace } from './move-focus-on.ts'

/** Yes, always, no, or yes with other arguments. */
export function AskControls({ approval }: { approval: Approval }) {
  const { mutateAsync, isPending } = useDecide(approval)
  const [form, setForm] = useState<'deny' | 'edit'>()
  const box = useRef<HTMLDivElement>(null)
  const answer = (given: Answer) => {
    const moveFocusOn = rememberPlace(box.current)
    // what went wrong is told where it is sent
    void mutateAsync(given).then(moveFocusOn, () => {})
  }
  const close = () => {
    const opened = form
    setForm(undefined)
    // back to the button that it was opened with
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-answer="${opened}"]`)?.focus())
  }
  return (
    <div ref={box}>
      {form === 'deny' ? (
        <DenyForm
          isBusy={isPending}
          onClose={close}
          onDeny={(message) => answer({ decision: 'deny', message })}
        />
      ) : form === 'edit' ? (
        <EditForm
          input={approval.input}
          isBusy={isPending}
          onClose={close}
          onApprove={(input) => answer({ decision: 'approve', input })}
        />
      ) : (
        <Buttons
          tool={approval.toolName}
          isQuestion={approval.kind === 'question'}
          isBusy={isPending}
          onAnswer={answer}
          onOpen={setForm}
        />
      )}
    </div>
  )
}

interface ButtonsProps {
  tool: string
  /** It is answered with yes or no: there is nothing to allow for good, and nothing to change. */
  isQuestion: boolean
  isBusy: boolean
  onAnswer(answer: Answer): void
  onOpen(form: 'deny' | 'edit'): void
}

function Buttons({ tool, isQuestion, isBusy, onAnswer, onOpen }: ButtonsProps) {
  const t = useTexts(approvalsTexts)
  const common = { size: 'small', disabled: isBusy } as const
  return (
    <div role="group" aria-label={t.answers(tool)} aria-busy={isBusy} className="flex flex-wrap gap-1.5">
      <Button
        {...common}
        variant="primary"
        data-answer="approve"
        onClick={() => onAnswer({ decision: 'approve' })}
      >
        <Check aria-hidden />
        {isBusy ? t.sending : t.approve}
      </Button>
      {!isQuestion && (
        <Button {...common} onClick={() => onAnswer({ decision: 'approve', remember: 'session' })}>
          {t.always}
        </Button>
      )}
      <Button {...common} variant="danger" data-answer="deny" onClick={() => onOpen('deny')}>
        <Ban aria-hidden />
        {t.deny}
      </Button>
      {!isQuestion && (
        <Button {...common} variant="ghost" data-answer="edit" onClick={() => onOpen('edit')}>
          <Pencil aria-hidden />
          {t.edit}
        </Button>
      )}
    </div>
  )
}
