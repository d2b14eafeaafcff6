import { ShieldCheck, TriangleAlert } from 'lucide-react'
import type { SettingsView } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.ts'
import { useSaveSettings } from './use-save-settings.ts'

interface Props {
  folder: NonNullable<SettingsView['folder']>
  /** Of a key that is bound to scopes, which trusts nobody. */
  isBound?: boolean
}

/** Whether the files in the folder of the scope may tell models what to do. */
export function TrustSetting({ folder, isBound }: Props) {
  const t = useTexts(permissionTexts)
  const save = useSaveSettings()
  const { path, isTrusted } = folder
  const Icon = isTrusted ? ShieldCheck : TriangleAlert
  return (
    <section aria-labelledby="trust-title" className="flex flex-col gap-2">
      <h3 id="trust-title" className="font-medium">
        {t.trustTitle}
      </h3>
      <p className="flex gap-2 text-sm">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          {isTrusted ? t.trusted : t.untrusted}{' '}
          <bdi className="font-mono break-all">
            <VisibleText text={path} isExact isLine />
          </bdi>
        </span>
      </p>
      <p className="text-sm text-muted">{isTrusted ? t.trustedHint : t.untrustedHint}</p>
      {!isBound && (
        <div>
          <Button disabled={save.isPending} onClick={() => save.mutate({ trusted: !isTrusted })}>
            {isTrusted ? t.distrust : t.trust}
          </Button>
        </div>
      )}
    </section>
  )
}
