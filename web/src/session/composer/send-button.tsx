import { ArrowUp, ListPlus, LoaderCircle, Square, Zap } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { composerTexts } from '../texts.ts'
import type { Policy } from './outgoing.ts'

interface Props {
  /** What it does to the turn that goes on; undefined when none does. */
  policy?: Policy
  disabled: boolean
  onSend(): void
}

const icons = { send: ArrowUp, enqueue: ListPlus, steer: Zap }

export function SendButton({ policy, disabled, onSend }: Props) {
  const t = useTexts(composerTexts)
  const does = policy ?? 'send'
  const Icon = icons[does]
  return (
    <IconButton variant="primary" size="small" label={t[does]} disabled={disabled} onClick={onSend}>
      <Icon />
    </IconButton>
  )
}

/** Says "stopping" until the server has said that it is over. */
export function StopButton({ isStopping, onStop }: { isStopping: boolean; onStop(): void }) {
  const t = useTexts(composerTexts)
  return (
    <Button
      size="small"
      // stays where it is, and can be focused, while it waits
      aria-disabled={isStopping}
      aria-keyshortcuts="Escape"
      onClick={onStop}
    >
      {isStopping ? (
        <LoaderCircle aria-hidden className="animate-spin" />
      ) : (
        <Square aria-hidden className="fill-current" />
      )}
      {isStopping ? t.stopping : t.stop}
    </Button>
  )
}
