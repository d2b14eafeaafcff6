import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useFieldErrors } from '../api/field-errors.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { planTexts } from './texts.ts'
import type { Tree } from './plan-tree.ts'
import { TodoField } from './todo-field.tsx'
import type { PlanDeeds } from './use-plan-deeds.ts'

interface Props {
  tree: Tree
  deeds: PlanDeeds
  onClose(): void
}

/** Adds the tasks of a list to the plan, at its end or below the node that is selected. */
export function ImportForm({ tree, deeds, onClose }: Props) {
  const t = useTexts(planTexts)
  const toast = useToast()
  const [{ node }] = useSearchState<'node'>()
  const selected = tree.byId.get(Number(node))
  const [markdown, setMarkdown] = useState('')
  const [isBelow, setBelow] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deeds.importMarkdown(markdown, isBelow && selected ? selected.id : 0),
    onSuccess({ nodeIds }) {
      onClose()
      toast({ title: t.imported(nodeIds.length) })
    },
  })
  const errors = useFieldErrors(error, ['markdown'])
  return (
    <FormDialog
      title={t.import}
      label={t.importStart}
      isDisabled={isPending || markdown.trim() === ''}
      error={errors.form}
      onSubmit={mutate}
      onClose={onClose}
    >
      <TodoField
        label={t.todo}
        hint={t.todoHint}
        value={markdown}
        error={errors.markdown}
        onChange={setMarkdown}
      />
      {selected && (
        <Field label={t.importWhere}>
          {(control) => (
            <select
              {...control}
              value={isBelow ? 'below' : 'end'}
              onChange={({ target }) => setBelow(target.value === 'below')}
            >
              <option value="end">{t.importAtEnd}</option>
              <option value="below">{t.importBelow(selected.name.slice(0, 80))}</option>
            </select>
          )}
        </Field>
      )}
    </FormDialog>
  )
}
