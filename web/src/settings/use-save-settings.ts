import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UpdateSettings } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { catalogueKeys } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { useToast } from '../ui/toast.tsx'

/** Saves a choice as it is made; what went wrong is said at the edge. */
export function useSaveSettings() {
  const t = useTexts(permissionTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  return useMutation({
    mutationFn: (patch: Omit<UpdateSettings, 'scope'>) => client.settings.update({ scope, ...patch }),
    onSuccess(settings) {
      queries.setQueryData(catalogueKeys.settings({ scope }), settings)
      announce(t.saved)
    },
    onError: ({ message }) => toast({ title: t.notSaved, description: message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['settings'] }),
  })
}
