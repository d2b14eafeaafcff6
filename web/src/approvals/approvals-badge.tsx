import { useTexts } from '../shell/texts.ts'
import { approvalsTexts } from './texts.ts'
import { usePending } from './use-approvals.ts'

/** How many asks wait, beside the link to them. */
export function ApprovalsBadge() {
  const t = useTexts(approvalsTexts)
  const { data } = usePending()
  const count = data?.items.length ?? 0
  if (count === 0) return null
  const text = data?.nextCursor === null ? String(count) : `${count}+`
  return (
    <span className="ml-auto rounded-full bg-warning px-1.5 text-xs leading-5 font-medium text-page tabular-nums">
      <span aria-hidden>{text}</span>
      <span className="sr-only">{t.count(text)}</span>
    </span>
  )
}
