import { useQueries } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { DiffText } from '../context/diff-text.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { workflowTexts } from './texts.ts'

interface Props {
  id: string
  /** 0 is nothing. */
  before: number
  after: number
}

/** What one version says and another does not. */
export function VersionDiff({ id, before, after }: Props) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const texts = useQueries({
    queries: [before, after].map((version) => ({
      queryKey: workflowKeys.version(id, version),
      queryFn: async () =>
        version === 0 ? '' : (await client.workflows.version(id, version, { scope })).text,
      // a version is never changed
      staleTime: Infinity,
    })),
  })
  const failed = texts.find(({ error }) => error)
  if (failed)
    return <Failure error={failed.error} onRetry={() => texts.forEach(({ refetch }) => void refetch())} />
  const [from, to] = texts.map(({ data }) => data)
  if (from === undefined || to === undefined) return <Loading />
  if (from === to) return <p className="p-3 text-sm text-muted">{t.noDifference}</p>
  return <DiffText label={t.diffOf(after)} before={from} after={to} mode="lines" />
}
