import { useState } from 'react'
import type { PermissionRule } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { emptyRule, toRule, type RuleDraft } from '../permissions/change-rules.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'

interface Props {
  decisions: readonly PermissionRule['decision'][]
  isBusy: boolean
  onAdd(rule: PermissionRule): Promise<void>
  onClose(): void
}

export function RuleForm({ decisions, isBusy, onAdd, onClose }: Props) {
  const t = useTexts(permissionTexts)
  const [draft, setDraft] = useState<RuleDraft>({ ...emptyRule, decision: decisions[0] ?? 'ask' })
  const [isTried, setTried] = useState(false)
  const rule = toRule(draft)
  const input = (name: keyof RuleDraft) => ({
    value: draft[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ target }: { target: { value: string } }) =>
      setDraft((before) => ({ ...before, [name]: target.value })),
  })
  return (
    <form
      noValidate
      aria-label={t.addRule}
      className="flex flex-col gap-3 rounded-lg border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (rule) void onAdd(rule)
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.decision}>
          {(props) => (
            <select
              {...props}
              // the person asked for this form a moment ago
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              value={draft.decision}
              onChange={({ target }) =>
                setDraft({ ...draft, decision: target.value as RuleDraft['decision'] })
              }
            >
              {decisions.map((name) => (
                <option key={name} value={name}>
                  {t.decisions[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.tool} hint={t.toolHint} error={isTried && !rule ? t.toolMissing : undefined}>
          {(props) => <input {...props} {...input('tool')} maxLength={1_000} />}
        </Field>
        <Field label={t.actions} hint={t.actionsHint}>
          {(props) => <input {...props} {...input('actions')} />}
        </Field>
        <Field label={t.path} hint={t.pathHint}>
          {(props) => <input {...props} {...input('path')} maxLength={1_000} />}
        </Field>
        {draft.decision === 'deny' && (
          <Field label={t.message} hint={t.messageHint} className="sm:col-span-2">
            {(props) => <input {...props} {...input('message')} maxLength={500} />}
          </Field>
        )}
      </div>
      <div className="flex gap-2">
        <Button type="submit" size="small" variant="primary" disabled={isBusy}>
          {t.add}
        </Button>
        <Button size="small" onClick={onClose}>
          {t.cancel}
        </Button>
      </div>
    </form>
  )
}
