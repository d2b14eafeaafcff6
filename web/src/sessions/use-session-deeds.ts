import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { forgetUnsent } from '../session/composer/use-unsent.ts'
import { useToast } from '../ui/toast.tsx'
import { sidebarTexts } from './texts.ts'

interface Subject {
  id: string
  title: string
}

/** What can be done with a session from a list; what fails is said, and nothing is thrown. */
export function useSessionDeeds() {
  const keepSearch = useKeptSearch()
  const client = useClient()
  const queries = useQueryClient()
  const scope = useScope()
  const navigate = useNavigate()
  const toast = useToast()
  const t = useTexts(sidebarTexts)
  const { untitled } = useTexts(appTexts)
  const { sessionId: openId } = useParams({ strict: false })

  const attempt = async (deed: () => Promise<unknown>): Promise<boolean> => {
    try {
      await deed()
      await queries.invalidateQueries({ queryKey: ['sessions'] })
      return true
    } catch (error) {
      toast({ title: t.failed, description: error instanceof Error ? error.message : String(error) })
      return false
    }
  }
  const rename = (id: string, title: string) =>
    attempt(async () => {
      await client.sessions.update(id, { scope, title })
      await queries.invalidateQueries({ queryKey: ['session', id] })
    })
  const setArchived = async ({ id, title }: Subject, archived: boolean) => {
    const isDone = await attempt(() => client.sessions.update(id, { scope, archived }))
    if (isDone && archived)
      toast({
        title: t.archived(title || untitled),
        action: { label: t.undo, perform: () => void setArchived({ id, title }, false) },
      })
    return isDone
  }
  const remove = (id: string) =>
    attempt(async () => {
      // first, or its page would ask for what is gone
      if (id === openId) await navigate({ to: '/', search: keepSearch() })
      await client.sessions.delete(id, { scope })
      forgetUnsent(scope, id)
    })
  const importFiles = async (files: readonly File[]) => {
    for (const file of files) {
      try {
        const session = await client.sessions.import(await file.text(), { scope })
        toast({ title: t.imported(session.title || untitled) })
        await navigate({
          to: '/sessions/$sessionId',
          params: { sessionId: session.id },
          search: keepSearch(),
        })
      } catch (error) {
        toast({
          title: t.importFailed(file.name),
          description: error instanceof Error ? error.message : String(error),
        })
      }
    }
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return { rename, setArchived, remove, importFiles }
}
