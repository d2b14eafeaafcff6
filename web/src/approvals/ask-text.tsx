import { useTexts } from '../shell/texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { VisibleText } from '../ui/visible-text.ts'
import { approvalsTexts } from './texts.ts'
import type { SeenText } from './ask-view.ts'

/** A command, a path or an argument, with everything in it that is not drawn marked, and how long it is. */
export function AskText({ name, text, size, isCut }: SeenText) {
  const t = useTexts(approvalsTexts)
  const { count } = useNumbers()
  const length = size && t.size(count(size.characters), count(size.lines))
  const words = (
    <code className="block px-2 py-0.5 font-mono text-[13px] break-all whitespace-pre-wrap">
      <bdi>
        <VisibleText text={text} isExact />
      </bdi>
      {isCut && <span className="text-warning"> …</span>}
    </code>
  )
  return (
    <li className="rounded bg-page">
      {(name !== undefined || length) && (
        <p className="flex flex-wrap gap-x-2 px-2 pt-0.5 text-xs text-muted">
          {name !== undefined && (
            <bdi className="font-mono">
              <VisibleText text={name} isExact isLine />
            </bdi>
          )}
          {length}
        </p>
      )}
      {size ? (
        <ScrollRegion label={name ?? length!} className="max-h-96">
          {words}
        </ScrollRegion>
      ) : (
        words
      )}
    </li>
  )
}
