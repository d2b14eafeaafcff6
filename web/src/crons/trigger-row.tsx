import { EllipsisVertical } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Cron } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { cronsTexts } from './texts.ts'
import { StatusTag } from './status-tag.tsx'

interface Props {
  trigger: Pick<Cron, 'name' | 'status' | 'reason'>
  /** Its name, as a heading or a link. */
  title: ReactNode
  /** Beside its status. */
  remark?: ReactNode
  /** What it waits for and does. */
  children: ReactNode
  /** What came of it. */
  history: ReactNode
  actions: readonly MenuItem[]
}

/** One of the things that start tasks by themselves, and why it does not where it does not. */
export function TriggerRow({ trigger, title, remark, children, history, actions }: Props) {
  const t = useTexts(cronsTexts)
  const { name, status, reason } = trigger
  return (
    <li className="flex items-start gap-2 px-4 py-3 hover:bg-hover">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {title}
          <StatusTag status={status} />
          {remark}
        </div>
        {children}
        {reason !== undefined && (
          <p className="text-sm text-warning">
            {t.why}: <bdi>{reason}</bdi>
          </p>
        )}
        {history}
      </div>
      <Menu
        items={actions}
        trigger={
          <IconButton label={t.actionsOf(name)}>
            <EllipsisVertical />
          </IconButton>
        }
      />
    </li>
  )
}
