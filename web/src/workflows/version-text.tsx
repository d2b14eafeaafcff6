import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { YamlEditor } from './editor/yaml-editor.tsx'
import { workflowTexts } from './texts.ts'

/** One version as it was written. */
export function VersionText({ id, version }: { id: string; version: number }) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery({
    queryKey: workflowKeys.version(id, version),
    queryFn: async () => (await client.workflows.version(id, version, { scope })).text,
    staleTime: Infinity,
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  return (
    <section className="overflow-hidden rounded-lg border border-line">
      <div className="flex items-center justify-between border-b border-line px-3 py-1">
        <h2 className="text-sm font-semibold">{t.version(version)}</h2>
        <CopyButton text={data} />
      </div>
      <div className="h-[60vh]">
        <YamlEditor isReadOnly label={t.version(version)} value={data} />
      </div>
    </section>
  )
}
