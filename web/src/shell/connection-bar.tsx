import { useLive } from '../api/live.tsx'
import { appTexts } from './shell-texts.ts'
import { useTexts } from './texts.ts'

/** Says that the server is away, for as long as it is. */
export function ConnectionBar() {
  const t = useTexts(appTexts)
  const { isConnected } = useLive()
  if (isConnected) return null
  return (
    <p role="alert" className="border-b border-line bg-mark px-3 py-1 text-sm">
      {t.reconnecting}
    </p>
  )
}
