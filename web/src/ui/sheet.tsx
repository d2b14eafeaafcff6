import { Dialog } from '@base-ui/react/dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'

interface Props {
  side: 'left' | 'right' | 'bottom'
  label: string
  onClose(): void
  children: ReactNode
}

const places = {
  left: 'inset-y-0 left-0 w-[85%] max-w-80',
  right: 'inset-y-0 right-0 w-[26rem] max-w-[90%]',
  bottom: 'inset-x-0 bottom-0 h-[80%] rounded-t-xl',
}

/** A pane over the page, where there is no room beside it. */
export function Sheet({ side, label, onClose, children }: Props) {
  const t = useTexts(appTexts)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Dialog.Popup
          aria-label={label}
          className={clsx('fixed z-40 flex flex-col bg-surface shadow-popup outline-none', places[side])}
        >
          {children}
          <Dialog.Close
            aria-label={t.close}
            render={
              <Button variant="ghost" className="absolute top-1 right-1 size-9 px-0! -outline-offset-2!" />
            }
          >
            <X aria-hidden />
          </Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
