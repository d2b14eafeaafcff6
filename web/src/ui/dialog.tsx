import { Dialog as Base } from '@base-ui/react/dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { appTexts } from '../app/app-texts.ts'
import { useTexts } from '../app/texts.ts'
import { IconButton } from './button.tsx'

interface Props {
  title: string
  onClose(): void
  children: ReactNode
  /** Buttons at the end. */
  actions?: ReactNode
  wide?: boolean
}

export function Dialog({ title, onClose, children, actions, wide }: Props) {
  const t = useTexts(appTexts)
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Base.Popup
          className={clsx(
            'fixed top-[10%] left-1/2 z-40 flex max-h-[80%] w-[calc(100%-2rem)] -translate-x-1/2 flex-col rounded-xl border border-line bg-raised shadow-popup outline-none',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Base.Title className="flex-1 font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label={t.close} />}>
              <X />
            </Base.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
          {actions && <div className="flex justify-end gap-2 border-t border-line p-3">{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
