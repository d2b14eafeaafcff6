import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../app/app-texts.ts'
import { pages } from '../app/pages.ts'
import { useTexts } from '../app/texts.ts'

interface Props {
  /** Something was chosen: where the list covers the page, it goes away. */
  onPick?(): void
}

export function Sidebar({ onPick }: Props) {
  const t = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: keys.sessions({ scope }),
    queryFn: () => client.sessions.list({ scope, limit: 50 }),
  })
  return (
    <>
      <nav aria-label={t.sessions} className="min-h-0 flex-1 overflow-y-auto">
        {data?.items.map((session) => (
          <Link
            key={session.id}
            to={'/sessions/$sessionId' as string}
            params={{ sessionId: session.id } as never}
            onClick={onPick}
            className="block px-3 py-1"
          >
            {session.title || t.untitled}
          </Link>
        ))}
      </nav>
      <nav aria-label={t.navigation} className="border-t border-line p-2">
        {pages.map(
          ({ path, link }) =>
            link && (
              <Link key={path} to={path as string} onClick={onPick} className="flex items-center gap-2 p-1">
                <link.icon aria-hidden className="size-4" />
                {t.pages[link.label]}
              </Link>
            ),
        )}
      </nav>
    </>
  )
}
