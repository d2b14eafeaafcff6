import { useQueryClient } from '@tanstack/react-query'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useToast } from '../ui/toast.tsx'
import { taskTexts } from './texts.ts'
import { toTaskRequest } from './task-request.ts'
import { taskTitle, type Task } from './task-tree.ts'

/** Stops a task or starts one like it; what fails is said, and nothing is thrown. */
export function useTaskDeeds() {
  const client = useClient()
  const queries = useQueryClient()
  const scope = useScope()
  const toast = useToast()
  const t = useTexts(taskTexts)
  const attempt = async (deed: () => Promise<unknown>) => {
    try {
      await deed()
      await queries.invalidateQueries({ queryKey: ['sessions'] })
    } catch (error) {
      toast({ title: t.failed, description: error instanceof Error ? error.message : String(error) })
    }
  }
  return {
    cancel: (task: Task) => attempt(() => client.sessions.stop(task.id, { scope })),
    retry: (task: Task) =>
      attempt(async () => {
        const { items } = await client.sessions.messages(task.id, { scope, after: 0, limit: 5 })
        const asked = items.find(({ role }) => role === 'user')
        const prompt = asked && messageText(asked)
        if (!prompt) throw new Error(t.noPrompt)
        const { runId } = await client.sessions.result(task.id, { scope })
        const run = runId === '' ? undefined : await client.runs.get(runId, { scope })
        await client.sessions.create({ scope, ...toTaskRequest(task, prompt, run) })
        toast({ title: t.retried(taskTitle(task)) })
      }),
  }
}
