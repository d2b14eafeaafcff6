import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FilePlus, LayoutTemplate, MessageSquare, type LucideIcon } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { catalogueKeys } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { freeName, renamed, starterText } from './starter.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { workflowTexts } from './texts.ts'

/** How a workflow can begin: with little, with a template, or with words. */
export function NewWorkflow({ onClose }: { onClose(): void }) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const templates = useQuery({
    queryKey: catalogueKeys.catalogue('workflow-templates'),
    queryFn: () => client.workflows.templates(),
  })
  const { create, beginChat, isBusy, error } = useBeginnings()
  return (
    <Dialog title={t.add} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <ul aria-label={t.addHow} className="flex flex-col gap-2">
          <Beginning
            icon={FilePlus}
            label={t.addEmpty}
            isBusy={isBusy}
            onPick={() => create({ name: t.starterName, toText: starterText })}
          />
          <Beginning
            icon={MessageSquare}
            label={t.addByChat}
            hint={t.addByChatHint}
            isBusy={isBusy}
            onPick={() => beginChat(scope)}
          />
        </ul>
        <section className="flex flex-col gap-2">
          <h3 className="text-sm font-semibold">{t.templates}</h3>
          {templates.isPending ? (
            <Loading />
          ) : templates.error ? (
            <Failure error={templates.error} onRetry={() => void templates.refetch()} />
          ) : templates.data.items.length === 0 ? (
            <p className="text-sm text-muted">{t.noTemplates}</p>
          ) : (
            <ul aria-label={t.templates} className="flex flex-col gap-2">
              {templates.data.items.map(({ name, description, text }) => (
                <Beginning
                  key={name}
                  icon={LayoutTemplate}
                  label={name}
                  hint={description}
                  isBusy={isBusy}
                  onPick={() =>
                    create({ name, toText: (free) => (free === name ? text : renamed(text, free)) })
                  }
                />
              ))}
            </ul>
          )}
        </section>
        {error && (
          <p role="alert" className="text-sm text-danger">
            {error.message}
          </p>
        )}
      </div>
    </Dialog>
  )
}

interface BeginningProps {
  icon: LucideIcon
  label: string
  hint?: string
  isBusy: boolean
  onPick(): void
}

function Beginning({ icon: Icon, label, hint, isBusy, onPick }: BeginningProps) {
  return (
    <li>
      <button
        type="button"
        disabled={isBusy}
        onClick={onPick}
        className="flex w-full items-start gap-3 rounded-lg border border-line bg-page px-3 py-2 text-start hover:bg-hover disabled:opacity-50"
      >
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <span className="min-w-0">
          <bdi className="font-medium">{label}</bdi>
          {hint && <bdi className="line-clamp-2 block text-sm text-muted">{hint}</bdi>}
        </span>
      </button>
    </li>
  )
}

interface Beginner {
  name: string
  toText(name: string): string
}

function useBeginnings() {
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const making = useMutation({
    mutationFn: async ({ name, toText }: Beginner) => {
      const { items } = await client.workflows.list({ scope, q: name, limit: 100 })
      const free = freeName(
        name,
        items.map((item) => item.name),
      )
      return client.workflows.create({ scope, text: toText(free) })
    },
    onSuccess(workflow) {
      void queries.invalidateQueries({ queryKey: ['workflows'] })
      goTo(`/workflows/${workflow.id}`)
    },
  })
  const chatting = useMutation({
    mutationFn: (inScope: string | undefined) =>
      client.workflows.managementSession(undefined, { scope: inScope }),
    onSuccess: ({ id }) => goTo(`/sessions/${id}`),
  })
  return {
    create: (beginner: Beginner) => making.mutate(beginner),
    beginChat: (inScope: string | undefined) => chatting.mutate(inScope),
    isBusy: making.isPending || chatting.isPending,
    error: making.error ?? chatting.error,
  }
}
