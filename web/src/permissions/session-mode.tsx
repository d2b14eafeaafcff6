import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PermissionMode, Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { settingsQuery } from '../api/catalogue-queries.ts'
import { sessionKeys, sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { useToast } from '../ui/toast.tsx'
import { ModePicker } from './mode-picker.tsx'
import { offeredModes } from './offered-modes.ts'
import { permissionTexts } from './texts.ts'

/** The mode of a session: its own, or what holds for it from above. */
export function SessionMode({ session }: { session: Session }) {
  const t = useTexts(permissionTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  const { inherited, settings } = useInheritedMode(session)
  const change = useMutation({
    mutationFn: (permissionMode: PermissionMode | null) =>
      client.sessions.update(session.id, { scope, permissionMode }),
    onSuccess(changed) {
      queries.setQueryData(sessionKeys.session(session.id), changed)
      announce(t.modeSet(changed.permissionMode ? t.modes[changed.permissionMode].name : t.asAbove))
    },
    onError: ({ message }) => toast({ title: t.modeNotSet, description: message }),
  })
  return (
    <ModePicker
      mode={session.permissionMode}
      inherited={inherited}
      offered={offeredModes(settings, session.permissionMode)}
      onChange={(mode) => change.mutate(mode)}
    />
  )
}

/** A task goes by the session that started it, others by the scope. */
function useInheritedMode({ parentId }: Session) {
  const client = useClient()
  const scope = useScope()
  const { data: settings } = useQuery(settingsQuery(client, scope))
  const { data: parent } = useQuery(sessionQuery(client, parentId, scope))
  return { inherited: parent?.permissionMode ?? settings?.effective.permissionMode, settings }
}
