import { useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Plus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Agent, AgentPage } from '../../../../src/extensions/agents/protocol/agent.ts'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDeed } from '../../ui/confirm-deed.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { useGoTo } from '../../shell/use-go-to.ts'
import { suggestAgents } from '../mentions.ts'
import { useAgents } from '../use-agents.ts'
import { AgentForm } from './agent-form.tsx'
import { AgentRow } from './agent-row.tsx'
import { agentTexts } from '../texts.ts'

/** All agents of the scope. In the URL: what is searched, and the form with the agent that it is about. */
export function Page() {
  const t = useTexts(agentTexts)
  const goTo = useGoTo()
  const [{ q = '', form, agent: name }, setSearch] = useSearchState<'q' | 'form' | 'agent'>()
  const { data, error, refetch } = useAgents()
  const [deleted, setDeleted] = useState<Agent>()
  const agents = data?.items ?? []
  const shown = q === '' ? agents : agents.filter((agent) => suggestAgents([agent], q).length > 0)
  const agent = agents.find((one) => one.name === name)
  const open = (kind: string, about?: Agent) => setSearch({ form: kind, agent: about?.name })
  const isFormOpen = form === 'new' || (agent !== undefined && (form === 'edit' || form === 'copy'))
  return (
    <PageFrame
      title={t.title}
      actions={
        <>
          <IconButton label={t.backToRooms} onClick={() => goTo('/rooms')}>
            <ArrowLeft />
          </IconButton>
          <Button variant="primary" size="small" onClick={() => open('new')}>
            <Plus aria-hidden />
            {t.add}
          </Button>
        </>
      }
    >
      <div className="mx-auto flex max-w-4xl flex-col gap-3 p-4">
        <SearchBox
          label={t.search}
          clearLabel={t.clear}
          value={q}
          onChange={(words) => setSearch({ q: words || undefined }, { replace: true })}
        />
        <Problems problems={data?.problems ?? []} />
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Loading />
        ) : shown.length === 0 ? (
          <Empty>
            <p>{q === '' ? t.none : t.noneFound}</p>
          </Empty>
        ) : (
          <ul aria-label={t.title} className="divide-y divide-line rounded-lg border border-line">
            {shown.map((one) => (
              <AgentRow
                key={one.name}
                agent={one}
                onEdit={() => open('edit', one)}
                onCopy={() => open('copy', one)}
                onDelete={() => setDeleted(one)}
              />
            ))}
          </ul>
        )}
      </div>
      {isFormOpen && (
        <AgentForm
          key={`${form} ${name}`}
          agent={form === 'new' ? undefined : agent}
          isCopy={form === 'copy'}
          onClose={() => setSearch({ form: undefined, agent: undefined })}
        />
      )}
      {deleted && <DeleteAgent agent={deleted} onClose={() => setDeleted(undefined)} />}
    </PageFrame>
  )
}

/** Files that their author meant otherwise. */
function Problems({ problems }: Pick<AgentPage, 'problems'>) {
  const t = useTexts(agentTexts)
  if (problems.length === 0) return null
  return (
    <section aria-label={t.problems} className="rounded-lg border border-warning/40 px-3 py-2 text-sm">
      <h2 className="flex items-center gap-1.5 font-medium text-warning">
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        {t.problems}
      </h2>
      <ul className="mt-1">
        {problems.map(({ path, message }) => (
          <li key={`${path} ${message}`} className="wrap-anywhere">
            <code>{path}</code>: {message}
          </li>
        ))}
      </ul>
    </section>
  )
}

function DeleteAgent({ agent, onClose }: { agent: Agent; onClose(): void }) {
  const t = useTexts(agentTexts)
  const { agents } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  return (
    <ConfirmDeed
      title={t.deleteTitle(agent.displayName || agent.name)}
      label={t.deleteConfirm}
      failure={t.failed}
      deed={() => agents.delete(agent.name, { scope })}
      onDone={() => void queries.invalidateQueries({ queryKey: ['agents'] })}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
    </ConfirmDeed>
  )
}
