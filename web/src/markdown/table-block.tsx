import { useContext, type ComponentProps } from 'react'
import type { Element } from 'hast'
import { useTexts } from '../shell/texts.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { markdownTexts } from './texts.ts'
import { SourceContext } from './source-context.ts'

/** Scrolls by itself, so that a wide table does not widen the page. */
export function TableBlock({ children, node }: ComponentProps<'table'> & { node: Element }) {
  const t = useTexts(markdownTexts)
  const source = useContext(SourceContext)
  const { start, end } = node.position ?? {}
  return (
    <div className="group/table relative my-3">
      <ScrollBox label={t.table} className="max-h-128 rounded-lg border border-line">
        <table className="w-full border-collapse text-sm">{children}</table>
      </ScrollBox>
      <div className="absolute top-0.5 right-0.5 rounded-md bg-surface opacity-0 group-focus-within/table:opacity-100 group-hover/table:opacity-100">
        <CopyButton label={t.copyTable} text={source.slice(start?.offset, end?.offset)} />
      </div>
    </div>
  )
}
