import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { useGoTo } from '../shell/use-go-to.ts'
import { planTexts } from './texts.ts'
import { TodoField } from './todo-field.tsx'

/** A plan begins with a title, and may begin with a todo list. */
export function NewPlan({ onClose }: { onClose(): void }) {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const [markdown, setMarkdown] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      client.plans.create({
        scope,
        title: title.trim(),
        ...(description.trim() !== '' && { description: description.trim() }),
        ...(markdown.trim() !== '' && { markdown }),
      }),
    onSuccess({ id }) {
      void queries.invalidateQueries({ queryKey: ['plans'] })
      goTo(`/plans/${id}`)
    },
  })
  const errors = useFieldErrors(error, ['title', 'description', 'markdown'])
  return (
    <FormDialog
      title={t.add}
      label={t.create}
      isDisabled={isPending || title.trim() === ''}
      error={errors.form}
      onSubmit={mutate}
      onClose={onClose}
    >
      <Field label={t.planTitle} error={errors.title}>
        {(control) => (
          <input
            {...control}
            dir="auto"
            aria-required
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
      </Field>
      <Field label={t.description} hint={t.optional} error={errors.description}>
        {(control) => (
          <textarea
            {...control}
            dir="auto"
            rows={2}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <TodoField
        label={t.todo}
        hint={t.todoHint}
        value={markdown}
        error={errors.markdown}
        onChange={setMarkdown}
      />
    </FormDialog>
  )
}
