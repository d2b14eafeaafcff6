import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

interface Props {
  label: string
  tabs: readonly { name: string; label: ReactNode; panel: ReactNode }[]
  value: string
  onChange(name: string): void
}

export function Tabs({ label, tabs, value, onChange }: Props) {
  return (
    <Base.Root
      value={value}
      onValueChange={(name: string) => onChange(name)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Base.List
        aria-label={label}
        className="flex h-11 shrink-0 items-end gap-1 overflow-x-auto border-b border-line px-2"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.name}
            value={tab.name}
            className="flex items-center gap-1.5 border-b-2 border-transparent px-2 py-2 text-sm text-muted data-active:border-accent data-active:text-text"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.name} value={tab.name} className="min-h-0 flex-1 overflow-y-auto outline-none">
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
