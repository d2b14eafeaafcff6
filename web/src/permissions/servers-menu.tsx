import { Menu } from '@base-ui/react/menu'
import { Check, Plug } from 'lucide-react'
import type { ReactNode } from 'react'
import type { McpServerStatus } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { permissionTexts } from './texts.ts'
import { toggleServer, type Servers } from './session-servers.ts'

interface Props {
  servers: readonly McpServerStatus[]
  chosen: Servers
  onChange(servers: Servers): void
}

/** Which servers a session may use, beside what it may do. */
export function ServersMenu({ servers, chosen, onChange }: Props) {
  const t = useTexts(permissionTexts)
  const names = servers.map(({ name }) => name)
  const count = names.filter((name) => chosen === 'all' || chosen.includes(name)).length
  const words =
    chosen === 'all' ? t.serversAll : count === 0 ? t.serversNone : t.serversSome(count, names.length)
  return (
    <Menu.Root>
      <Menu.Trigger
        render={
          <Button
            size="small"
            variant="ghost"
            aria-label={t.serversOf(words)}
            className="font-normal! text-muted"
          />
        }
      >
        <Plug aria-hidden />
        <span className="hidden sm:inline">{t.serversOf(words)}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Menu.Popup className="max-h-(--available-height) w-72 max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-popup outline-none">
            <Item checked={chosen === 'all'} onChange={(isOn) => onChange(isOn ? 'all' : [])}>
              <span className="block font-medium">{t.serversEvery}</span>
              <span className="block text-xs text-muted">{t.serversEveryHint}</span>
            </Item>
            <Menu.Separator className="my-1 h-px bg-line" />
            {servers.map(({ name, state }) => (
              <Item
                key={name}
                checked={chosen === 'all' || chosen.includes(name)}
                onChange={(isOn) => onChange(toggleServer(chosen, name, isOn, names))}
              >
                <span className="font-mono text-[13px] break-all">{name}</span>
                {state === 'failed' && <span className="ml-2 text-xs text-danger">{t.serverFailed}</span>}
              </Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

interface ItemProps {
  checked: boolean
  onChange(checked: boolean): void
  children: ReactNode
}

function Item({ checked, onChange, children }: ItemProps) {
  return (
    <Menu.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      className="flex gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover"
    >
      <span className="flex size-4 shrink-0 items-center pt-0.5">
        <Menu.CheckboxItemIndicator>
          <Check aria-hidden className="size-4" />
        </Menu.CheckboxItemIndicator>
      </span>
      <span className="min-w-0">{children}</span>
    </Menu.CheckboxItem>
  )
}
