import { Toast } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { useCallback, type ReactNode } from 'react'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={6_000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100%-2rem)] flex-col gap-2 outline-none">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const t = useTexts(appTexts)
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="flex items-start gap-2 rounded-lg border border-line bg-raised p-3 shadow-popup"
    >
      {toast.type === 'problem' && <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />}
      <Toast.Content className="min-w-0 flex-1">
        <Toast.Title className="font-medium wrap-anywhere" />
        <Toast.Description className="line-clamp-4 text-sm wrap-anywhere text-muted" />
        <Toast.Action className="mt-1 text-sm text-accent underline" />
      </Toast.Content>
      <Toast.Close aria-label={t.close} className="rounded p-1 hover:bg-hover">
        <X aria-hidden className="size-4" />
      </Toast.Close>
    </Toast.Root>
  ))
}

export interface ToastMessage {
  title: string
  description?: string
  /** Something went wrong elsewhere. */
  isProblem?: boolean
  action?: { label: string; perform(): void }
}

/** Says something at the edge of the page: that a deed failed, that something is done elsewhere. */
export function useToast(): (message: ToastMessage) => void {
  const { add, close } = Toast.useToastManager()
  return useCallback(
    ({ title, description, isProblem, action }) => {
      const perform = () => {
        // pressed twice it would undo something else
        close(id)
        action?.perform()
      }
      const id = add({
        title,
        description,
        ...(isProblem && { type: 'problem' }),
        ...(action && { actionProps: { children: action.label, onClick: perform } }),
      })
    },
    [add, close],
  )
}
