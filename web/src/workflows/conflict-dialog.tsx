import { useState } from 'react'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { MergeEditor } from './editor/yaml-editor.tsx'
import { workflowTexts } from './texts.ts'

interface Props {
  theirs: Workflow
  mine: string
  isBusy: boolean
  onTake(): void
  onKeep(text: string): void
  onClose(): void
}

/** Somebody else saved first: what they have, what one has, and which of the two goes on. */
export function ConflictDialog({ theirs, mine, isBusy, onTake, onKeep, onClose }: Props) {
  const t = useTexts(workflowTexts)
  const { cancel } = useTexts(appTexts)
  const [merged, setMerged] = useState(mine)
  return (
    <Dialog
      wide
      title={t.conflictTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button disabled={isBusy} onClick={onTake}>
            {t.takeTheirs}
          </Button>
          <Button variant="primary" disabled={isBusy} onClick={() => onKeep(merged)}>
            {t.keepMine}
          </Button>
        </>
      }
    >
      <p className="mb-2 text-sm text-muted">{t.conflictWords(theirs.version)}</p>
      <MergeEditor
        theirs={theirs.text}
        mine={mine}
        labels={{ theirs: t.theirs(theirs.version), mine: t.mine, takeOver: t.takeOver }}
        onChange={setMerged}
      />
    </Dialog>
  )
}
