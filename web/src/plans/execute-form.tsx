import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useModelNames } from '../api/use-model-names.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { ModelInput } from '../ui/model-input.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { planTexts } from './texts.ts'
import { isDone, type Tree } from './plan-tree.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'

interface Props {
  tree: Tree
  deeds: PlanDeeds
  onClose(): void
}

/** How the whole plan is done. */
export function ExecuteForm({ tree, deeds, onClose }: Props) {
  const t = useTexts(planTexts)
  const models = useModelNames()
  const [isRerun, setRerun] = useState(false)
  const [onFailure, setOnFailure] = useState<'continue' | 'stop'>('continue')
  const [model, setModel] = useState('')
  const [maxTokens, setMaxTokens] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      deeds.execute({
        onFailure,
        ...(isRerun && { rerun: true }),
        ...(model.trim() !== '' && { model: model.trim() }),
        ...(maxTokens !== '' && { maxTokens: Number(maxTokens) }),
      }),
    onSuccess: onClose,
  })
  const open = tree.nodes.filter((node) => isRerun || !isDone(node)).length
  return (
    <FormDialog
      title={t.executeTitle}
      label={t.execute}
      isDisabled={isPending}
      error={error}
      isChecked
      onSubmit={mutate}
      onClose={onClose}
    >
      <p className="text-sm text-muted">{t.executeWords(open)}</p>
      <Field label={t.onFailure}>
        {(control) => (
          <select
            {...control}
            value={onFailure}
            onChange={({ target }) => setOnFailure(target.value === 'stop' ? 'stop' : 'continue')}
          >
            <option value="continue">{t.goOn}</option>
            <option value="stop">{t.stopAll}</option>
          </select>
        )}
      </Field>
      <Field label={t.model} hint={t.optional}>
        {(control) => (
          <ModelInput
            {...control}
            models={models}
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
        )}
      </Field>
      <Field label={t.maxTokens} hint={t.maxTokensHint}>
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            max={1_000_000_000_000}
            value={maxTokens}
            onChange={({ target }) => setMaxTokens(target.value)}
          />
        )}
      </Field>
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          checked={isRerun}
          onChange={(event) => setRerun(event.target.checked)}
        />
        {t.rerunAll}
      </label>
    </FormDialog>
  )
}
