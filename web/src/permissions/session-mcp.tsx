import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { mcpQuery, settingsQuery } from '../api/catalogue-queries.ts'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { useToast } from '../ui/toast.tsx'
import { permissionTexts } from './texts.ts'
import { ServersMenu } from './servers-menu.tsx'
import { changeServers, readServers, type Servers } from './session-servers.ts'

/** The MCP servers that a session may use; nothing where there are none. */
export function SessionMcp({ session }: { session: Session }) {
  const t = useTexts(permissionTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  const { data } = useQuery(mcpQuery(client, scope))
  const { data: settings } = useQuery(settingsQuery(client, scope))
  const groups = settings?.effective.toolGroups
  const change = useMutation({
    // one after the other: the last that was chosen stays
    scope: { id: `mcp-of-${session.id}` },
    mutationFn: (servers: Servers) =>
      client.sessions.update(session.id, { scope, ...changeServers(session, groups, servers) }),
    onSuccess(changed) {
      queries.setQueryData(sessionKeys.session(session.id), changed)
      announce(t.serversSet)
    },
    onError: ({ message }) => toast({ title: t.serversNotSet, description: message }),
  })
  const servers = data?.items.filter(({ state }) => state !== 'disabled') ?? []
  if (servers.length === 0 || !settings) return null
  return (
    <ServersMenu
      servers={servers}
      chosen={change.isPending ? change.variables : readServers(session, groups)}
      onChange={(wanted) => change.mutate(wanted)}
    />
  )
}
