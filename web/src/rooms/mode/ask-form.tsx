import { useMutation } from '@tanstack/react-query'
import { CircleQuestionMark } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import type { PlayerAsk } from '../../../../src/extensions/room/protocol/room.ts'
import { useErrorText } from '../../api/field-errors.ts'
import { useTexts } from '../../shell/texts.ts'
import { approvalsTexts } from '../../approvals/texts.ts'
import { AskTexts, LeftOut } from '../../approvals/ask-texts.tsx'
import { useQuestionView } from '../../approvals/use-ask-view.ts'
import { Button } from '../../ui/button.tsx'
import { roomFormTexts, modeTexts } from '../texts.ts'
import { keyOf, readDraft, toDraft, toFields, type SchemaDraft } from '../forms/schema-fields.ts'
import { AskField } from './ask-field.tsx'

interface Props {
  ask: PlayerAsk
  nameOf(name: string): string
  /** Resolves when it was taken. */
  act(action: Record<string, unknown>): Promise<unknown>
}

/** What a person is waited for: fields of the schema, or a word that it is said in the box. */
export function AskForm({ ask, nameOf, act }: Props) {
  const t = useTexts(modeTexts)
  const { problems: problemTexts } = useTexts(roomFormTexts)
  const { asWritten, showFirst } = useTexts(approvalsTexts)
  const { view, showAll } = useQuestionView(ask.text, ask.content)
  const isWhole = view.left === undefined
  const headingId = useId()
  const fields = useMemo(() => toFields(ask.schema), [ask.schema])
  const [draft, setDraft] = useState<SchemaDraft>(() => toDraft(fields))
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error } = useMutation({ mutationFn: act })
  const toText = useErrorText()
  // a yes or no is said by pressing it
  const question = fields.filter(({ kind, isRequired }) => kind === 'switch' && isRequired)
  const yesOrNo = question.length === 1 ? question[0] : undefined
  const rest = fields.filter((field) => field !== yesOrNo)
  const send = (given: SchemaDraft) => {
    setTried(true)
    const read = readDraft(fields, given)
    if ('value' in read && !isPending) mutate(read.value)
  }
  const read = readDraft(rest, draft)
  const wrong = isTried && 'problems' in read ? read.problems : {}
  return (
    <section
      aria-labelledby={headingId}
      data-ask
      className="mb-1.5 rounded-lg border border-accent bg-raised px-3 py-2 text-sm"
    >
      <h2 id={headingId} className="flex items-center gap-1.5 font-medium">
        <CircleQuestionMark aria-hidden className="size-4 shrink-0 text-accent" />
        {t.asksYou}
      </h2>
      <p className="max-h-32 overflow-y-auto whitespace-pre-wrap wrap-anywhere">{ask.text}</p>
      <AskTexts label={asWritten} texts={view.given} />
      <LeftOut left={view.left} onShowAll={showAll} />
      {ask.byChat && <p className="text-muted">{fields.length > 0 ? t.answerByChatToo : t.answerByChat}</p>}
      {fields.length > 0 && (
        <form
          noValidate
          className="mt-2 flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (!yesOrNo) send(draft)
          }}
        >
          {rest.map((field) => (
            <AskField
              key={keyOf(field)}
              field={field}
              value={draft[keyOf(field)]}
              error={wrong[keyOf(field)] && problemTexts[wrong[keyOf(field)]!]}
              nameOf={nameOf}
              onChange={(value) => setDraft({ ...draft, [keyOf(field)]: value })}
            />
          ))}
          {error && (
            <p role="alert" className="text-danger">
              {t.askFailed}: {toText(error)}
            </p>
          )}
          <div className="flex gap-2">
            {yesOrNo ? (
              <>
                <Button
                  size="small"
                  variant="primary"
                  disabled={isPending || !isWhole}
                  onClick={() => send({ ...draft, [keyOf(yesOrNo)]: true })}
                >
                  {yesOrNo.name === 'approved' ? t.approve : t.yes}
                </Button>
                <Button
                  size="small"
                  disabled={isPending}
                  onClick={() => send({ ...draft, [keyOf(yesOrNo)]: false })}
                >
                  {yesOrNo.name === 'approved' ? t.decline : t.no}
                </Button>
                {!isWhole && <p className="text-xs text-muted">{showFirst}</p>}
              </>
            ) : (
              <Button size="small" variant="primary" type="submit" disabled={isPending}>
                {t.send}
              </Button>
            )}
          </div>
        </form>
      )}
    </section>
  )
}
