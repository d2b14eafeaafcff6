import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Workflow, WorkflowVersion } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { RollbackWorkflow } from './rollback-workflow.tsx'
import { VersionDiff } from './version-diff.tsx'
import { VersionRow } from './version-row.tsx'
import { VersionText } from './version-text.tsx'
import { workflowTexts } from './texts.ts'

/** Every text that was saved. In the URL: `shown`, the version that is read, or `from` and `to`, which are compared. */
export function VersionsTab({ workflow }: { workflow: Workflow }) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const [{ shown, from, to }, setSearch] = useSearchState<'shown' | 'from' | 'to'>()
  const [restored, setRestored] = useState<number>()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: workflowKeys.versions(workflow.id),
    queryFn: ({ pageParam }) =>
      client.workflows.versions(workflow.id, { scope, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const versions = data?.pages.flatMap(({ items }) => items) ?? []
  if (isPending) return <Loading />
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (versions.length === 0) return <Empty>{t.noVersions}</Empty>
  const after = Number(to ?? workflow.version)
  const before = Number(from ?? Math.max(0, after - 1))
  return (
    <div className="mx-auto grid max-w-6xl gap-4 p-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-2">
        <ol aria-label={t.versions} className="divide-y divide-line rounded-lg border border-line">
          {versions.map((version) => (
            <VersionRow
              key={version.version}
              version={version}
              isCurrent={version.version === workflow.version}
              isOpen={shown === undefined ? after === version.version : Number(shown) === version.version}
              onView={() => setSearch({ shown: String(version.version), from: undefined, to: undefined })}
              onDiff={() =>
                setSearch({
                  shown: undefined,
                  from: String(version.version - 1),
                  to: String(version.version),
                })
              }
              onRollback={() => setRestored(version.version)}
            />
          ))}
        </ol>
        {hasNextPage && (
          <Button className="self-center" onClick={() => void fetchNextPage()}>
            {t.more}
          </Button>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        {shown === undefined ? (
          <>
            <Pair
              versions={versions}
              before={before}
              after={after}
              onChange={(pair) => setSearch({ from: String(pair.before), to: String(pair.after) })}
            />
            <div className="overflow-hidden rounded-lg border border-line">
              <VersionDiff id={workflow.id} before={before} after={after} />
            </div>
          </>
        ) : (
          <VersionText id={workflow.id} version={Number(shown)} />
        )}
      </div>
      {restored !== undefined && (
        <RollbackWorkflow workflow={workflow} version={restored} onClose={() => setRestored(undefined)} />
      )}
    </div>
  )
}

interface PairProps {
  versions: readonly WorkflowVersion[]
  before: number
  after: number
  onChange(pair: { before: number; after: number }): void
}

function Pair({ versions, before, after, onChange }: PairProps) {
  const t = useTexts(workflowTexts)
  const pick = (label: string, value: number, least: number, set: (version: number) => void) => (
    <Field label={label} className="min-w-0 flex-1">
      {(control) => (
        <select {...control} value={value} onChange={(event) => set(Number(event.target.value))}>
          {versions.map(({ version }) => (
            <option key={version} value={version}>
              {t.version(version)}
            </option>
          ))}
          {least === 0 && <option value={0}>{t.nothing}</option>}
        </select>
      )}
    </Field>
  )
  return (
    <div className="flex gap-2">
      {pick(t.before, before, 0, (version) => onChange({ before: version, after }))}
      {pick(t.after, after, 1, (version) => onChange({ before, after: version }))}
    </div>
  )
}
