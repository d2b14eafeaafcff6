import { useBlocker } from '@tanstack/react-router'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { workflowTexts } from './texts.ts'

/** Asks before a page with unsaved changes is left; its own tabs are no leaving. */
export function LeaveGuard({ isChanged }: { isChanged: boolean }) {
  const t = useTexts(workflowTexts)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <ConfirmDialog
      title={t.leaveTitle}
      label={t.leave}
      onConfirm={() => blocker.proceed()}
      onClose={() => blocker.reset()}
    >
      {t.leaveWords}
    </ConfirmDialog>
  )
}
