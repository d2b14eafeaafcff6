import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useToast } from './toast.tsx'

interface Props<Answer> {
  title: string
  /** What will come of it. */
  children: ReactNode
  /** On the button that does it. */
  label: string
  /** Told when it could not be done. */
  failure: string
  deed(): Promise<Answer>
  /** After it is done and the dialog is closed. */
  onDone(answer: Answer): void
  onClose(): void
}

/** Asks once more, does it, and says when it could not be done. */
export function ConfirmDeed<Answer>({ failure, deed, onDone, onClose, ...dialog }: Props<Answer>) {
  const toast = useToast()
  const { mutate, isPending } = useMutation({
    mutationFn: deed,
    onSuccess(answer) {
      onClose()
      onDone(answer)
    },
    onError: (error) => toast({ title: failure, description: error.message }),
  })
  return <ConfirmDialog {...dialog} isBusy={isPending} onConfirm={() => mutate()} onClose={onClose} />
}
