import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CreateMemory, Memory } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { useToast } from '../ui/toast.tsx'
import { memoryTexts } from './texts.ts'

// what is known of the user in another scope may be told here: each is changed where it is
type Subject = Pick<Memory, 'id' | 'scope' | 'status'>

/** Deleting and bringing back; what fails is said, and answers false. Over when the lists show it. */
export function useMemoryDeeds() {
  const t = useTexts(memoryTexts)
  const client = useClient()
  const toast = useToast()
  const announce = useAnnounce()
  const refresh = useRefresh()
  const attempt = async (deed: () => Promise<unknown>): Promise<boolean> => {
    try {
      await deed()
    } catch (error) {
      toast({ title: t.failed, description: error instanceof Error ? error.message : String(error) })
      return false
    } finally {
      // somebody else may have been faster
      await refresh()
    }
    return true
  }
  /** Undoes the deletion, or the last change of one that is there. */
  const restore = async ({ id, scope, status }: Subject) => {
    const isDone = await attempt(() => client.memories.restore(id, { scope }))
    if (isDone) announce(status === 'deleted' ? t.restored : t.undone)
    return isDone
  }
  const forget = ({ id, scope }: Subject) => attempt(() => client.memories.delete(id, { scope }))
  /** For where the memory goes out of sight. */
  const remove = async (memory: Memory) => {
    const isDone = await forget(memory)
    if (isDone)
      toast({
        title: t.removed,
        description: shorten(memory.text),
        action: { label: t.undo, perform: () => void restore({ ...memory, status: 'deleted' }) },
      })
    return isDone
  }
  return { restore, forget, remove }
}

export function useCreateMemory() {
  const client = useClient()
  const scope = useScope()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (memory: Omit<CreateMemory, 'scope'>) => client.memories.create({ scope, ...memory }),
    onSuccess: refresh,
  })
}

export function useUpdateMemory({ id, scope }: Memory) {
  const client = useClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (text: string) => client.memories.update(id, { scope, text }),
    onSuccess: refresh,
  })
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['memories'] })
}

const mostShown = 80

const shorten = (text: string) => {
  const letters = [...text]
  return letters.length <= mostShown ? text : `${letters.slice(0, mostShown - 1).join('')}…`
}
