import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { useTheme } from '../ui/use-theme.ts'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { markdownTexts } from './texts.ts'
import type { DiagramAnswer, DiagramRequest } from '../diagram/messages.ts'
import { CodeBlock } from './code-block.tsx'

/**
 * Drawn in a frame with a page of its own: what draws diagrams needs styles that this page does not allow. Text goes in,
 * a height comes out. What cannot be drawn is shown as the code that it is.
 */
export function Diagram({ code }: { code: string }) {
  const t = useTexts(markdownTexts)
  const theme = useTheme()
  const frame = useRef<HTMLIFrameElement>(null)
  const [answer, setAnswer] = useState<DiagramAnswer>()
  const [showsCode, setShowsCode] = useState(false)

  useEffect(() => {
    const send = () => {
      const request: DiagramRequest = { type: 'draw', code, theme }
      frame.current?.contentWindow?.postMessage(request, location.origin)
    }
    const onMessage = ({ origin, source, data }: MessageEvent<DiagramAnswer>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (data.type === 'ready') send()
      else setAnswer(data)
    }
    window.addEventListener('message', onMessage)
    send()
    return () => window.removeEventListener('message', onMessage)
  }, [code, theme])

  if (answer?.type === 'failed') return <CodeBlock code={code} language="mermaid" />
  return (
    <figure className="my-3 overflow-hidden rounded-lg border border-line">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line bg-surface pr-1 pl-3 text-xs text-muted">
        <span className="flex-1 font-mono">mermaid</span>
        <Button
          size="small"
          variant="ghost"
          className="h-6! text-xs!"
          onClick={() => setShowsCode(!showsCode)}
        >
          {showsCode ? t.diagramDrawn : t.diagramCode}
        </Button>
        <CopyButton text={code} label={t.copyCode} />
      </figcaption>
      {showsCode && (
        <ScrollBox label={t.code} className="p-3">
          <pre className="font-mono text-[13px]">{code}</pre>
        </ScrollBox>
      )}
      {/* oxlint-disable-next-line react/iframe-missing-sandbox -- with scripts of this origin, one would hold nothing */}
      <iframe
        ref={frame}
        src="diagram.html"
        title={t.diagram}
        hidden={showsCode}
        className="block w-full border-0"
        style={{ height: answer?.type === 'drawn' ? answer.height : 160 }}
      />
    </figure>
  )
}
