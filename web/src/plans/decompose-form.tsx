import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useModelNames } from '../api/use-model-names.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { ModelInput } from '../ui/model-input.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { planTexts } from './texts.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'

interface Props {
  title: string
  /** None is the whole plan. */
  nodeId?: number
  deeds: PlanDeeds
  onClose(): void
}

// as the server takes them
const limits = {
  expandDepth: [1, 10],
  minChildren: [1, 20],
  maxChildren: [1, 20],
  nodeBudget: [1, 1_000],
} as const
const defaults = { expandDepth: '2', minChildren: '2', maxChildren: '5', nodeBudget: '50' }
const names = ['expandDepth', 'minChildren', 'maxChildren', 'nodeBudget'] as const

/** How far a model takes a plan, or a node of it, apart. */
export function DecomposeForm({ title, nodeId, deeds, onClose }: Props) {
  const t = useTexts(planTexts)
  const models = useModelNames()
  const [draft, setDraft] = useState(defaults)
  const [model, setModel] = useState('')
  const [mayHaveChildren, setMayHaveChildren] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      deeds.decompose({
        nodeId,
        ...(Object.fromEntries(names.map((name) => [name, Number(draft[name])])) as Record<
          keyof typeof draft,
          number
        >),
        allowExistingChildren: mayHaveChildren,
        ...(model.trim() !== '' && { model: model.trim() }),
      }),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={title}
      label={t.decompose}
      isDisabled={isPending}
      error={error}
      isChecked
      onSubmit={mutate}
      onClose={onClose}
    >
      <p className="text-sm text-muted">{t.decomposeWords}</p>
      <div className="grid grid-cols-2 gap-3">
        {names.map((name) => (
          <Field key={name} label={t.decomposeFields[name]}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={limits[name][0]}
                max={limits[name][1]}
                required
                value={draft[name]}
                onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
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
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          checked={mayHaveChildren}
          onChange={(event) => setMayHaveChildren(event.target.checked)}
        />
        {t.mayHaveChildren}
      </label>
    </FormDialog>
  )
}
