import type { ReactNode } from 'react'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  /** What will be gone. */
  children: ReactNode
  /** On the button that does it. */
  label: string
  isBusy?: boolean
  onConfirm(): void
  onClose(): void
}

/** Asks once more before something that cannot be undone. */
export function ConfirmDialog({ title, children, label, isBusy, onConfirm, onClose }: Props) {
  const t = useTexts(appTexts)
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button variant="danger" disabled={isBusy} onClick={onConfirm}>
            {label}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
