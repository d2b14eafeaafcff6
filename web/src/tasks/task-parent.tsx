import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../app/app-texts.ts'
import { keepShellSearch } from '../app/shell-search.ts'
import { useTexts } from '../app/texts.ts'

/** The session that started a task, by its title. */
export function TaskParent({ sessionId }: { sessionId: string }) {
  const t = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: keys.session(sessionId),
    queryFn: () => client.sessions.get(sessionId, { scope }),
    retry: false,
  })
  return (
    <Link
      to={'/sessions/$sessionId' as string}
      params={{ sessionId } as never}
      search={keepShellSearch}
      className="text-accent underline underline-offset-2"
    >
      <bdi>{data?.title || t.untitled}</bdi>
    </Link>
  )
}
