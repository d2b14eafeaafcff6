import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { Check, SunMoon } from 'lucide-react'
import type { ReactNode } from 'react'
import { ActionButton } from '../shell/action-button.tsx'
import { appTexts } from '../shell/shell-texts.ts'
import { askForNotifications } from '../shell/notify-system.ts'
import { setPreferences, usePreferences, type Preferences } from '../shell/preferences.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useName, useTexts } from '../shell/texts.ts'
import { useNav } from '../shell/use-nav.ts'
import { IconButton } from '../ui/button.tsx'
import { useToast } from '../ui/toast.tsx'
import { sidebarTexts } from './texts.ts'

/** The other pages, and what one person likes. */
export function SidebarFoot({ onPick }: { onPick?(): void }) {
  const keepSearch = useKeptSearch()
  const nameOf = useName()
  const t = useTexts(appTexts)
  return (
    <div className="shrink-0 border-t border-line p-2">
      <nav aria-label={t.navigation}>
        {useNav().map(({ path, name, icon: Icon, Badge }) => (
          <Link
            key={path}
            to={path as string}
            search={keepSearch()}
            activeOptions={{ includeSearch: false }}
            onClick={onPick}
            className="flex items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-hover focus-visible:outline-offset-[-2px] data-[status=active]:bg-selected"
          >
            <Icon aria-hidden className="size-4 text-muted" />
            {nameOf(name)}
            {Badge && <Badge />}
          </Link>
        ))}
      </nav>
      <div className="mt-1 flex items-center gap-1">
        <AppearanceMenu />
        <ActionButton action="shortcuts" size="small" />
      </div>
    </div>
  )
}

const themes = ['system', 'light', 'dark'] as const
const languages = ['system', 'en', 'zh'] as const

function AppearanceMenu() {
  const t = useTexts(sidebarTexts)
  const { theme, language, notifications } = usePreferences()
  const toast = useToast()
  const set = (patch: Partial<Preferences>) => setPreferences(patch)
  const setNotifications = async (isOn: boolean) => {
    if (isOn && !(await askForNotifications())) toast({ title: t.notifyRefused })
    else set({ notifications: isOn ? 'on' : 'off' })
  }
  return (
    <Menu.Root>
      <Menu.Trigger
        render={
          <IconButton size="small" label={t.appearance}>
            <SunMoon />
          </IconButton>
        }
      />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="start" side="top" className="z-50">
          <Menu.Popup className="min-w-48 rounded-lg border border-line bg-raised p-1 shadow-popup outline-none">
            <Choice
              label={t.theme}
              value={theme}
              values={themes}
              names={t.themes}
              onChange={(value) => set({ theme: value })}
            />
            <Menu.Separator className="my-1 border-t border-line" />
            <Choice
              label={t.language}
              value={language}
              values={languages}
              names={t.languages}
              onChange={(value) => set({ language: value })}
            />
            <Menu.Separator className="my-1 border-t border-line" />
            <Menu.CheckboxItem
              checked={notifications === 'on'}
              onCheckedChange={(isOn) => void setNotifications(isOn)}
              className={itemStyle}
            >
              <Mark>
                <Menu.CheckboxItemIndicator>
                  <Check aria-hidden className="size-4" />
                </Menu.CheckboxItemIndicator>
              </Mark>
              {t.notify}
            </Menu.CheckboxItem>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

const itemStyle =
  'flex items-center gap-2 rounded-md px-2 py-1 text-sm outline-none data-highlighted:bg-hover'

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  values: readonly Value[]
  names: Record<Value, string>
  onChange(value: Value): void
}

function Choice<Value extends string>({ label, value, values, names, onChange }: ChoiceProps<Value>) {
  return (
    <Menu.Group>
      <Menu.GroupLabel className="px-2 pt-1 text-xs text-muted">{label}</Menu.GroupLabel>
      <Menu.RadioGroup value={value} onValueChange={(next: Value) => onChange(next)}>
        {values.map((name) => (
          <Menu.RadioItem key={name} value={name} className={itemStyle}>
            <Mark>
              <Menu.RadioItemIndicator>
                <Check aria-hidden className="size-4" />
              </Menu.RadioItemIndicator>
            </Mark>
            {names[name]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  )
}

const Mark = ({ children }: { children: ReactNode }) => (
  <span className="flex size-4 items-center">{children}</span>
)
