import { Wrench } from 'lucide-react'
import { memo, useState } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import { changedFilesOf } from '../../../../src/extensions/terminal/protocol/changed-files.ts'
import { useTexts } from '../../shell/texts.ts'
import { sessionTexts } from '../texts.ts'
import { toolNameOf } from './part-groups.ts'
import { stateOf, ToolCard } from './tool-card.tsx'

interface Props {
  parts: readonly Part[]
}

// fewer are seen at a glance
const foldedFrom = 4

/** Calls that follow one another. Many that are done fold into one line. */
export const ToolGroup = memo(
  function ToolGroup({ parts }: Props) {
    const t = useTexts(sessionTexts)
    const [isOpen, setOpen] = useState(false)
    const canFold = parts.length >= foldedFrom
    const open = parts.filter(
      (part) => stateOf(part) !== 'done' || changedFilesOf(toolNameOf(part), part.output).length > 0,
    )
    const shown = !canFold || isOpen ? parts : open
    return (
      <div className="my-2 divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
        {canFold && (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="flex w-full items-center gap-2 px-3 py-1.5 text-start text-sm hover:bg-hover"
          >
            <Wrench aria-hidden className="size-4 text-muted" />
            {t.toolCalls(parts.length)}
          </button>
        )}
        {shown.map((part, index) => (
          <ToolCard key={(part.toolCallId as string | undefined) ?? index} part={part} />
        ))}
      </div>
    )
  },
  (before, after) =>
    before.parts.length === after.parts.length &&
    before.parts.every((part, index) => part === after.parts[index]),
)
