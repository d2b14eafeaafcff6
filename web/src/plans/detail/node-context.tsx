import type { PlanNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { nodeTexts } from '../texts.ts'

/** What a node is told beside its instruction. */
export function NodeContext({ context }: { context: NonNullable<PlanNode['context']> }) {
  const t = useTexts(nodeTexts)
  const { combined, sections = [] } = context
  const all = [...(combined ? [{ title: t.combined, content: combined }] : []), ...sections]
  return (
    <div className="flex flex-col gap-1">
      {all.map(({ title, content }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two sections may have one title
        <details key={index} className="rounded-md border border-line">
          <summary className="px-2 py-1 font-medium wrap-anywhere">
            <bdi>{title}</bdi>
          </summary>
          <ScrollBox label={title} className="max-h-80 border-t border-line p-2">
            <Markdown text={content} />
          </ScrollBox>
        </details>
      ))}
    </div>
  )
}
