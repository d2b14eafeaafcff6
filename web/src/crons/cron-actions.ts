import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Pause, Pencil, Play, Trash2, Zap } from 'lucide-react'
import type { Cron } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import type { MenuItem } from '../ui/menu.tsx'
import { useToast } from '../ui/toast.tsx'
import { cronsTexts } from './texts.ts'

interface Options {
  onEdit(): void
  onDelete(): void
}

/** What one can do with a cron; the same behind buttons and in a menu. */
export function useCronActions(): (cron: Cron, options: Options) => MenuItem[] {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const queries = useQueryClient()
  const scope = useScope()
  const toast = useToast()
  const navigate = useNavigate()

  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      toast({ title: t.notDone, description: error instanceof Error ? error.message : String(error) })
    }
    await queries.invalidateQueries({ queryKey: ['crons'] })
  }
  const trigger = async (cron: Cron) => {
    const { sessionId } = await client.crons.trigger(cron.id, { scope })
    await queries.invalidateQueries({ queryKey: ['fires', cron.id] })
    if (sessionId === undefined) return toast({ title: t.triggeredWaiting, description: cron.name })
    const open = () => void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: { scope } })
    toast({
      title: t.triggered,
      description: cron.name,
      action: { label: t.triggeredAction, perform: open },
    })
  }

  return (cron, { onEdit, onDelete }) => [
    { name: 'trigger', label: t.trigger, icon: Zap, perform: () => void attempt(() => trigger(cron)) },
    cron.status === 'active'
      ? {
          name: 'pause',
          label: t.pause,
          icon: Pause,
          perform: () => void attempt(() => client.crons.pause(cron.id, { scope })),
        }
      : {
          name: 'resume',
          label: t.resume,
          icon: Play,
          perform: () => void attempt(() => client.crons.resume(cron.id, { scope })),
        },
    { name: 'edit', label: t.edit, icon: Pencil, perform: onEdit },
    { name: 'delete', label: t.remove, icon: Trash2, isDangerous: true, perform: onDelete },
  ]
}
