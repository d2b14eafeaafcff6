import { clsx } from 'clsx'
import { Brain } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { composerTexts } from '../texts.ts'
import type { UnsentControl } from './use-unsent.ts'

export function ThinkingToggle({ control: { unsent, change } }: { control: UnsentControl }) {
  const t = useTexts(composerTexts)
  return (
    <Tooltip text={t.thinkingHint}>
      <Button
        size="small"
        variant="ghost"
        aria-label={t.thinking}
        aria-pressed={unsent.thinking}
        onClick={() => change({ thinking: !unsent.thinking })}
        className={clsx('font-normal!', unsent.thinking ? 'bg-selected! text-accent' : 'text-muted')}
      >
        <Brain aria-hidden />
        <span className="hidden sm:inline">{t.thinking}</span>
      </Button>
    </Tooltip>
  )
}
