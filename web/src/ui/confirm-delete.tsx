import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { ConfirmDeed } from './confirm-deed.tsx'
import { useToast } from './toast.tsx'

interface Props {
  /** As people know the thing. */
  name: string
  texts: {
    deleteTitle(name: string): string
    /** What goes with it, and what stays. */
    deleteWords: string
    remove: string
    deleted: string
    notDone: string
  }
  deed(): Promise<unknown>
  /** What is read again when it is gone. */
  queryKey: QueryKey
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

/** Asks once more, deletes, and has lists read again. */
export function ConfirmDelete({ name, texts, deed, queryKey, onClose, onDeleted }: Props) {
  const queries = useQueryClient()
  const toast = useToast()
  return (
    <ConfirmDeed
      title={texts.deleteTitle(name)}
      label={texts.remove}
      failure={texts.notDone}
      deed={deed}
      onDone={() => {
        onDeleted?.()
        toast({ title: texts.deleted, description: name })
        void queries.invalidateQueries({ queryKey })
      }}
      onClose={onClose}
    >
      {texts.deleteWords}
    </ConfirmDeed>
  )
}
