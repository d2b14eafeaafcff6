import { Menu } from '@base-ui/react/menu'
import { clsx } from 'clsx'
import { Check, Shield, ShieldAlert } from 'lucide-react'
import type { PermissionMode } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { permissionTexts } from './texts.ts'

interface Props {
  /** That was chosen here; without it the inherited one holds. */
  mode: PermissionMode | undefined
  /** Undefined until it is known. */
  inherited: PermissionMode | undefined
  offered: readonly PermissionMode[]
  /** Null goes back to the inherited one. */
  onChange(mode: PermissionMode | null): void
}

/** Stands for no choice in a group whose values are texts. */
const none = ''

/** How much a session may do without asking, in a place where it is seen before something is sent. */
export function ModePicker({ mode, inherited, offered, onChange }: Props) {
  const t = useTexts(permissionTexts)
  const effective = mode ?? inherited
  const name = effective ? t.modes[effective].name : '…'
  const isRisky = effective === 'bypassPermissions'
  const Icon = isRisky ? ShieldAlert : Shield
  return (
    <Menu.Root>
      <Menu.Trigger
        render={
          <Button
            size="small"
            variant="ghost"
            aria-label={t.modeOf(name)}
            data-mode={effective}
            className={clsx('font-normal!', isRisky ? 'text-danger' : 'text-muted')}
          />
        }
      >
        <Icon aria-hidden />
        <span className="hidden sm:inline">{name}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Menu.Popup className="w-80 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-raised p-1 shadow-popup outline-none">
            <Menu.RadioGroup
              aria-label={t.mode}
              value={mode ?? none}
              onValueChange={(next: PermissionMode | typeof none) => onChange(next === none ? null : next)}
            >
              <ModeItem value={none} name={t.asAbove} hint={inherited ? t.modes[inherited].name : '…'} />
              {offered.map((option) => (
                <ModeItem key={option} value={option} {...t.modes[option]} />
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function ModeItem({ value, name, hint }: { value: string; name: string; hint: string }) {
  return (
    <Menu.RadioItem
      value={value}
      closeOnClick
      className="flex gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover"
    >
      <span className="flex size-4 shrink-0 items-center pt-0.5">
        <Menu.RadioItemIndicator>
          <Check aria-hidden className="size-4" />
        </Menu.RadioItemIndicator>
      </span>
      <span className="min-w-0">
        <span className={clsx('block font-medium', value === 'bypassPermissions' && 'text-danger')}>
          {name}
        </span>
        <span className="block text-xs text-muted">{hint}</span>
      </span>
    </Menu.RadioItem>
  )
}
