import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { appTexts } from '../app/app-texts.ts'
import { useTexts } from '../app/texts.ts'
import { IconButton } from './button.tsx'

interface Props {
  text: string | (() => string)
  label?: string
}

export function CopyButton({ text, label }: Props) {
  const t = useTexts(appTexts)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <IconButton size="small" label={isCopied ? t.copied : (label ?? t.copy)} onClick={() => void copy()}>
      {isCopied ? <Check /> : <Copy />}
    </IconButton>
  )
}
