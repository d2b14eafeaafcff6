import type { GroupSwitches, SettingsView } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { Button } from '../ui/button.tsx'
import { useSaveSettings } from './use-save-settings.ts'

const toolGroups = [
  'workspace',
  'document',
  'todo',
  'search',
  'memory',
  'terminal',
  'task',
  'schedule',
  'workflow',
  'plan',
  'web',
  'mcp',
] as const satisfies readonly (keyof GroupSwitches)[]

/** Which groups of tools there are in the scope. */
export function GroupSwitchesSetting({ settings }: { settings: SettingsView }) {
  const t = useTexts(permissionTexts)
  const save = useSaveSettings()
  const { toolGroups: own, effective, isBound } = settings
  // shown as it is chosen, while it is on its way
  const chosen = save.isPending ? save.variables.toolGroups : undefined
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">{t.groupsTitle}</legend>
      <p className="text-sm text-muted">{t.groupsIntro}</p>
      <div className="grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-2">
        {toolGroups.map((group) => (
          <label key={group} className="flex w-fit items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-[var(--accent)]"
              disabled={isBound && effective.toolGroups[group] === false}
              checked={chosen?.[group] ?? effective.toolGroups[group] ?? true}
              onChange={({ target }) => save.mutate({ toolGroups: { ...own, [group]: target.checked } })}
            />
            <span>
              {t.groups[group]} <code className="text-xs text-muted">{group}</code>
            </span>
          </label>
        ))}
      </div>
      {own !== undefined && !isBound && (
        <Button size="small" className="self-start" onClick={() => save.mutate({ toolGroups: null })}>
          {t.groupsReset}
        </Button>
      )}
    </fieldset>
  )
}
