import { Menu as Base } from '@base-ui/react/menu'
import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactElement } from 'react'

export interface MenuItem {
  name: string
  label: string
  icon?: LucideIcon
  shortcut?: string
  isDangerous?: boolean
  isDisabled?: boolean
  perform(): void
}

interface Props {
  /** The button that opens it. */
  trigger: ReactElement
  items: readonly MenuItem[]
  /** Open as soon as it is drawn. */
  defaultOpen?: boolean
}

export function Menu({ trigger, items, defaultOpen }: Props) {
  return (
    <Base.Root defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="max-h-(--available-height) min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-popup outline-none">
            {items.map(({ name, label, icon: Icon, shortcut, isDangerous, isDisabled, perform }) => (
              <Base.Item
                key={name}
                disabled={isDisabled}
                onClick={perform}
                className={clsx(
                  'flex items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover',
                  isDangerous && 'text-danger',
                )}
              >
                {Icon && <Icon aria-hidden className="size-4" />}
                <span className="flex-1">{label}</span>
                {shortcut && <kbd className="text-xs text-muted">{shortcut}</kbd>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
