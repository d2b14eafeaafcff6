import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { actionTexts, appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { IconButton } from './button.tsx'
import { useToast } from './toast.tsx'

interface Props {
  text: string | (() => string)
  label?: string
}

export function CopyButton({ text, label }: Props) {
  const t = useTexts(appTexts)
  const { copyFailed } = useTexts(actionTexts)
  const toast = useToast()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
    } catch {
      // a page that came without TLS from another machine has no clipboard at all
      toast({ title: copyFailed })
      return
    }
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <IconButton size="small" label={isCopied ? t.copied : (label ?? t.copy)} onClick={() => void copy()}>
      {isCopied ? <Check /> : <Copy />}
    </IconButton>
  )
}
