import { useTexts } from '../shell/texts.ts'
import { sidebarTexts } from './texts.ts'

export function UnreadDot() {
  const t = useTexts(sidebarTexts)
  return (
    <span className="size-2 shrink-0 rounded-full bg-accent">
      <span className="sr-only">{t.unread}</span>
    </span>
  )
}
