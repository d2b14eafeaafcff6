import { Ban, Check, Pencil } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { approvalsTexts } from './texts.ts'
import { DenyForm } from './deny-form.tsx'
import { EditForm } from './edit-form.tsx'
import { useDecide, type Answer } from './use-decide.ts'
import { rememberPlace } from './move-focus-on.ts'

interface Props {
  approval: Approval
  /** All of it was shown: before, there is no yes to it as it is. */
  isWhole: boolean
}

/** Yes, always, no, or yes with other arguments. */
export function AskControls({ approval, isWhole }: Props) {
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
          approval={approval}
          isBusy={isPending}
          isWhole={isWhole}
          onAnswer={answer}
          onOpen={setForm}
        />
      )}
    </div>
  )
}

interface ButtonsProps {
  approval: Approval
  isBusy: boolean
  isWhole: boolean
  onAnswer(answer: Answer): void
  onOpen(form: 'deny' | 'edit'): void
}

function Buttons({ approval, isBusy, isWhole, onAnswer, onOpen }: ButtonsProps) {
  const t = useTexts(approvalsTexts)
  const tool = approval.toolName
  // it is answered with yes or no: there is nothing to allow for good, and nothing to change
  const isQuestion = approval.kind === 'question'
  const mayApprove = !approval.refuses?.includes('approve')
  const mayRemember = !isQuestion && !approval.refuses?.includes('remember')
  const wider = mayRemember ? widerOf(approval) : undefined
  const common = { size: 'small', disabled: isBusy } as const
  const yes = { size: 'small', disabled: isBusy || !isWhole } as const
  return (
    <div role="group" aria-label={t.answers(tool)} aria-busy={isBusy} className="flex flex-wrap gap-1.5">
      {mayApprove && (
        <Button
          {...yes}
          variant="primary"
          data-answer="approve"
          onClick={() => onAnswer({ decision: 'approve' })}
        >
          <Check aria-hidden />
          {isBusy ? t.sending : t.approve}
        </Button>
      )}
      {mayRemember && (
        <Button {...yes} onClick={() => onAnswer({ decision: 'approve', remember: 'session' })}>
          {t.always}
        </Button>
      )}
      {wider && (
        <Button
          {...yes}
          onClick={() => onAnswer({ decision: 'approve', remember: 'session', widen: wider.widen })}
        >
          {wider.widen === 'host' ? t.alwaysHost(wider.name) : t.alwaysTool(wider.name)}
        </Button>
      )}
      <Button {...common} variant="danger" data-answer="deny" onClick={() => onOpen('deny')}>
        <Ban aria-hidden />
        {t.deny}
      </Button>
      {!isQuestion && mayApprove && (
        <Button {...common} variant="ghost" data-answer="edit" onClick={() => onOpen('edit')}>
          <Pencil aria-hidden />
          {t.edit}
        </Button>
      )}
      {mayApprove ? (
        !isWhole && <p className="basis-full text-xs text-muted">{t.showFirst}</p> // a no is all that this key can say
      ) : (
        <p className="basis-full text-xs text-muted">{t.notYours}</p>
      )}
    </div>
  )
}

/** What else an answer can be made to mean, in words that say so. */
function widerOf({
  kind,
  resources,
  toolName,
}: Approval): { widen: 'host' | 'tool'; name: string } | undefined {
  if (resources.length === 0) return { widen: 'tool', name: toolName }
  const [url = ''] = resources
  const isAddress = kind === 'network_access' && resources.length === 1 && URL.canParse(url)
  return isAddress ? { widen: 'host', name: new URL(url).hostname } : undefined
}
