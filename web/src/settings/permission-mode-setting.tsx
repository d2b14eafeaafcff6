import { TriangleAlert } from 'lucide-react'
import type { PermissionMode, SettingsView } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { offeredModes } from '../permissions/offered-modes.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { ChoiceGroup } from './choice-group.tsx'
import { useSaveSettings } from './use-save-settings.ts'

/** What sessions of the scope may do that say nothing else. */
export function PermissionModeSetting({ settings }: { settings: SettingsView }) {
  const t = useTexts(permissionTexts)
  const save = useSaveSettings()
  const { effective } = settings
  // shown as it is chosen, while it is on its way
  const chosen = save.isPending ? save.variables.permissionMode : undefined
  const permissionMode = chosen === undefined ? settings.permissionMode : (chosen ?? undefined)
  // of a key that is bound, to say nothing may mean more than what is said
  const isOpen = !settings.isBound || permissionMode === undefined
  const options = {
    ...(isOpen && {
      '': permissionMode ? t.fromServerPlain : t.fromServer(t.modes[effective.permissionMode].name),
    }),
    ...Object.fromEntries(
      offeredModes(settings).map((mode) => [mode, `${t.modes[mode].name} — ${t.modes[mode].hint}`]),
    ),
  } as Record<PermissionMode | '', string>
  return (
    <div className="flex flex-col gap-2">
      <ChoiceGroup
        label={t.modeTitle}
        hint={t.modeIntro}
        value={permissionMode ?? ''}
        options={options}
        onChange={(mode) => save.mutate({ permissionMode: mode || null })}
      />
      {effective.permissionMode === 'bypassPermissions' && (
        <p className="flex gap-2 rounded-md border border-danger/40 px-3 py-2 text-sm text-danger">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t.bypassWarning}
        </p>
      )}
    </div>
  )
}
