import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { mcpQuery, settingsQuery } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { McpServer } from './mcp-server.tsx'
import { mcpTexts } from './texts.ts'
import { SectionLink } from './section-link.tsx'

// nobody tells when a program has started or ended
const lookMs = 15_000
const startingMs = 2_000

/** How the servers of the configuration are, and where others are added. */
export function McpSection() {
  const t = useTexts(mcpTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, isFetching, refetch } = useQuery({
    ...mcpQuery(client, scope),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.items.some((server) => server.state === 'starting') ? startingMs : lookMs,
  })
  const { data: settings } = useQuery(settingsQuery(client, scope))
  return (
    <>
      <p className="text-muted">{t.intro}</p>
      {settings?.effective.toolGroups.mcp === false && (
        <p className="text-sm text-warning">
          {t.groupOff} <SectionLink section="tools">{t.groupLink}</SectionLink>
        </p>
      )}
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <Empty>{t.none}</Empty>
      ) : (
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="min-w-0 flex-1 basis-60 text-sm text-muted">
              {data.items.some(({ tools }) => tools.length > 0) && (data.deferred ? t.deferred : t.described)}
            </p>
            <Button size="small" disabled={isFetching} onClick={() => void refetch()}>
              <RefreshCw aria-hidden />
              {t.lookAgain}
            </Button>
          </div>
          <ul aria-label={t.list} className="divide-y divide-line rounded-lg border border-line">
            {data.items.map((server) => (
              <McpServer key={server.name} server={server} />
            ))}
          </ul>
        </div>
      )}
      <section className="flex flex-col gap-2" aria-labelledby="add-mcp-server">
        <h3 id="add-mcp-server" className="font-medium">
          {t.addTitle}
        </h3>
        <p className="text-sm text-muted">{t.addText}</p>
        <div className="relative">
          <pre className="rounded-md bg-surface p-3 pr-10 font-mono text-xs break-words whitespace-pre-wrap">
            {snippet}
          </pre>
          <span className="absolute top-1 right-1">
            <CopyButton text={snippet} label={t.copySnippet} />
          </span>
        </div>
        <p className="text-sm text-muted">{t.docs}</p>
      </section>
    </>
  )
}

const snippet = `mcpServers:
  files:
    command: npx
    args: [-y, some-mcp-server]
  tickets:
    type: http
    url: https://mcp.example.com/mcp
    headers: { Authorization: 'Bearer \${TICKETS_KEY}' }
`
