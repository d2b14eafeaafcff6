import { memo, useEffect, useRef, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { markdownTexts } from './texts.ts'
import { highlight, knownLines, type Token } from './highlight.ts'

interface Props {
  code: string
  language: string
  /** More of it is still coming. */
  isIncomplete?: boolean
}

export const CodeBlock = memo(function CodeBlock({ code, language, isIncomplete = false }: Props) {
  const t = useTexts(markdownTexts)
  const { lines, rest } = useHighlighted(code, language, isIncomplete)
  return (
    <div className="my-3 overflow-hidden rounded-lg border border-line bg-surface">
      <div className="flex h-8 items-center justify-between gap-2 border-b border-line pr-1 pl-3 text-xs text-muted">
        <span className="truncate font-mono">{language || t.code}</span>
        <CopyButton text={code} label={t.copyCode} />
      </div>
      <ScrollBox label={language || t.code} dir="ltr" className="max-h-128 p-3">
        <pre className="font-mono text-[13px] leading-5 wrap-normal">
          <code>
            {lines.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a line is known by its number
              <Line key={index} line={line} isLast={index === lines.length - 1} />
            ))}
            {rest}
          </code>
        </pre>
      </ScrollBox>
    </div>
  )
})

const Line = memo(function Line({ line, isLast }: { line: Token[]; isLast: boolean }) {
  return (
    <>
      {line.map(({ text, light, dark }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- and a piece of it by its place
        <span key={index} style={light ? { color: `light-dark(${light}, ${dark ?? light})` } : undefined}>
          {text}
        </span>
      ))}
      {!isLast && '\n'}
    </>
  )
})

// colours for more than this cost more than they help
const maxHighlighted = 50_000

/** The code as far as it is in colour, and the rest of it. */
function useHighlighted(
  code: string,
  language: string,
  isIncomplete: boolean,
): { lines: Token[][]; rest: string } {
  const [known, setKnown] = useState(() => toKnown({ code, language, isIncomplete }))
  const wanted = useRef<Wanted>(undefined)
  useEffect(() => {
    if (language === '' || code.length > maxHighlighted) return
    const isAsking = wanted.current !== undefined
    wanted.current = { code, language, isIncomplete }
    // of a block that grows, only its newest state is asked for when the answer before has come
    if (!isAsking) void askOn()
    async function askOn() {
      for (let asked: Wanted | undefined; asked !== wanted.current;) {
        asked = wanted.current!
        setKnown({ ...asked, lines: await highlight(asked) })
      }
      wanted.current = undefined
    }
  }, [code, language, isIncomplete])
  const fits = known && known.language === language && code.startsWith(known.code)
  return fits ? { lines: known.lines, rest: code.slice(known.code.length) } : { lines: [], rest: code }
}

type Wanted = Parameters<typeof highlight>[0]

function toKnown(wanted: Wanted) {
  const lines = knownLines(wanted)
  return lines && { code: wanted.code, language: wanted.language, lines }
}
