import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/api.tsx'
import { workflowKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { workflowRunStatuses } from '../run-statuses.ts'
import { runTexts } from '../texts.ts'

interface Props {
  /** Whether one can choose a workflow. */
  hasWorkflow: boolean
  workflow?: string
  status?: string
  onChange(patch: { workflow?: string; status?: string }): void
}

// more than a list to choose from can have
const most = 200

export function RunFilters({ hasWorkflow, workflow, status, onChange }: Props) {
  const t = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: workflowKeys.workflows({ scope, names: true }),
    queryFn: () => client.workflows.list({ scope, limit: most }),
    enabled: hasWorkflow,
  })
  const names = data?.items ?? []
  return (
    <div role="group" aria-label={t.filters} className="flex flex-wrap gap-3">
      {hasWorkflow && (
        <Field label={t.workflow} className="min-w-40 flex-1">
          {(control) => (
            <select
              {...control}
              value={workflow ?? ''}
              onChange={(event) => onChange({ workflow: event.target.value || undefined })}
            >
              <option value="">{t.any}</option>
              {workflow !== undefined && names.every(({ id }) => id !== workflow) && (
                <option value={workflow}>{workflow}</option>
              )}
              {names.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label={t.status} className="min-w-40 flex-1">
        {(control) => (
          <select
            {...control}
            value={status ?? ''}
            onChange={(event) => onChange({ status: event.target.value || undefined })}
          >
            <option value="">{t.any}</option>
            {workflowRunStatuses.map((name) => (
              <option key={name} value={name}>
                {t.statuses[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}
