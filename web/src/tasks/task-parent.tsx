import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useClient } from '../api/api.tsx'
import { sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'

/** The session that started a task, by its title. */
export function TaskParent({ sessionId }: { sessionId: string }) {
  const keepSearch = useKeptSearch()
  const t = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({ ...sessionQuery(client, sessionId, scope), retry: false })
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      search={keepSearch()}
      className="text-accent underline underline-offset-2"
    >
      <bdi>{data?.title || t.untitled}</bdi>
    </Link>
  )
}
