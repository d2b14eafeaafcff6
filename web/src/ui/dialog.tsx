import { Dialog as Base } from '@base-ui/react/dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'

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
  const popup = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  // not the button that closes it: its words would come up, and take the first Escape for themselves
  const firstFocus = () =>
    content.current?.querySelector<HTMLElement>('input, select, textarea, button, a[href]') ?? popup.current
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Base.Popup
          ref={popup}
          initialFocus={firstFocus}
          className={clsx(
            'fixed top-[10%] left-1/2 z-40 flex max-h-[80%] w-[calc(100%-2rem)] -translate-x-1/2 flex-col rounded-xl border border-line bg-raised shadow-popup outline-none',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Base.Title className="flex-1 font-semibold">{title}</Base.Title>
            {/* has the focus at first: words beside it would take the first Escape */}
            <Base.Close aria-label={t.close} render={<Button variant="ghost" className="size-9 px-0!" />}>
              <X aria-hidden />
            </Base.Close>
          </div>
          {/* what has the focus is not below the buttons of a form */}
          <div ref={content} className="min-h-0 flex-1 scroll-pb-20 overflow-y-auto p-4">
            {children}
          </div>
          {actions && <div className="flex justify-end gap-2 border-t border-line p-3">{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
