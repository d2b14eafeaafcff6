import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Provider } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useToast } from '../ui/toast.tsx'
import { providerTitle } from './provider-title.ts'
import { settingsTexts } from './texts.ts'

interface Props {
  provider: Provider
  onClose(): void
}

export function RemoveProvider({ provider, onClose }: Props) {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const { name, isBuiltIn } = provider
  const title = providerTitle(provider, t.providerNames)
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.providers.delete(name, { scope }),
    onSuccess() {
      toast({ title: t.removed, description: title })
      onClose()
    },
    onError: (error) => toast({ title: t.notDone, description: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  })
  return (
    <ConfirmDialog
      title={isBuiltIn ? t.removeKey(title) : t.removeProvider(title)}
      label={t.remove}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {isBuiltIn ? t.removeWords : t.removeProviderWords}
    </ConfirmDialog>
  )
}
