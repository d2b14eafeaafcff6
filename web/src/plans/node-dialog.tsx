import { useState, type ReactNode } from 'react'
import type { TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { DecomposeForm } from './decompose-form.tsx'
import { openDependencies } from './node-actions.ts'
import { nodeTexts } from './texts.ts'
import { countBelow, type Tree } from './plan-tree.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'

export type DialogKind = 'wait' | 'rerun' | 'message' | 'skip' | 'done' | 'reset' | 'decompose' | 'remove'

interface Props {
  kind: DialogKind
  node: TreeNode
  tree: Tree
  deeds: PlanDeeds
  onClose(): void
}

/** Asks before something is done with a node that costs, or that takes something away. */
export function NodeDialog(props: Props) {
  const { kind, node, tree, deeds, onClose } = props
  const t = useTexts(nodeTexts)
  const below = countBelow(tree, node.id)
  switch (kind) {
    case 'wait':
      return <WaitDialog {...props} />
    case 'rerun':
      return <RerunDialog {...props} />
    case 'skip':
      return <SkipDialog {...props} />
    case 'message':
      return (
        <TextDialog
          title={t.messageTitle(node.name)}
          field={t.messageField}
          label={t.actions.message}
          onText={(text) => void deeds.message(node.id, text)}
          onClose={onClose}
        >
          {t.messageWords}
        </TextDialog>
      )
    case 'done':
      return (
        <TextDialog
          title={t.doneTitle(node.name)}
          field={t.doneField}
          label={t.actions.done}
          onText={(text) => void deeds.done(node.id, text)}
          onClose={onClose}
        >
          {t.doneWords(below)}
        </TextDialog>
      )
    case 'decompose':
      return (
        <DecomposeForm title={t.decomposeTitle(node.name)} nodeId={node.id} deeds={deeds} onClose={onClose} />
      )
    case 'reset':
      return (
        <ConfirmDialog
          title={t.resetTitle(node.name)}
          label={t.actions.reset}
          onClose={onClose}
          onConfirm={() => {
            onClose()
            void deeds.reset(node.id)
          }}
        >
          <p>{t.resetWords(below)}</p>
        </ConfirmDialog>
      )
    case 'remove':
      return (
        <ConfirmDialog
          title={t.removeTitle(node.name)}
          label={t.actions.remove}
          onClose={onClose}
          onConfirm={() => {
            onClose()
            void deeds.remove(node.id)
          }}
        >
          <p>{t.removeWords(below)}</p>
        </ConfirmDialog>
      )
  }
}

function WaitDialog({ node, tree, deeds, onClose }: Props) {
  const t = useTexts(nodeTexts)
  const waiting = openDependencies(tree, node)
  return (
    <Dialog
      title={t.waitTitle(node.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.leave}</Button>
          <Button
            variant="primary"
            onClick={() => {
              onClose()
              void deeds.runNode(node.id, { subtree: tree.children.has(node.id), withDependencies: true })
            }}
          >
            {t.runAll}
          </Button>
        </>
      }
    >
      <p>{t.waitWords}</p>
      <ul className="mt-2 list-disc ps-5">
        {waiting.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi> <span className="text-muted">#{id}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function RerunDialog({ node, tree, deeds, onClose }: Props) {
  const t = useTexts(nodeTexts)
  const [isWhole, setWhole] = useState(false)
  return (
    <FormDialog
      title={t.rerunTitle(node.name)}
      label={t.actions.rerun}
      onSubmit={() => {
        onClose()
        void deeds.runNode(node.id, { rerun: true, subtree: isWhole })
      }}
      onClose={onClose}
    >
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1 size-4 accent-accent"
          checked={isWhole}
          onChange={(event) => setWhole(event.target.checked)}
        />
        {t.alsoBelow(countBelow(tree, node.id))}
      </label>
    </FormDialog>
  )
}

function SkipDialog({ node, tree, deeds, onClose }: Props) {
  const t = useTexts(nodeTexts)
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={t.skipTitle(node.name)}
      label={t.actions.skip}
      onSubmit={() => {
        onClose()
        void deeds.skip(node.id, reason.trim() === '' ? {} : { reason: reason.trim() })
      }}
      onClose={onClose}
    >
      <p>{t.skipWords(countBelow(tree, node.id))}</p>
      <Field label={t.reason} hint={t.optional}>
        {(control) => (
          <input
            {...control}
            dir="auto"
            maxLength={2_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}

interface TextDialogProps {
  title: string
  field: string
  label: string
  children: ReactNode
  onText(text: string): void
  onClose(): void
}

// as long as the server takes it
const maxText = 50_000

/** Asks for words, without which nothing is done. */
function TextDialog({ title, field, label, children, onText, onClose }: TextDialogProps) {
  const [text, setText] = useState('')
  return (
    <FormDialog
      title={title}
      label={label}
      isChecked
      onSubmit={() => {
        if (text.trim() === '') return
        onClose()
        onText(text.trim())
      }}
      onClose={onClose}
    >
      <p>{children}</p>
      <Field label={field}>
        {(control) => (
          <textarea
            {...control}
            required
            dir="auto"
            rows={4}
            maxLength={maxText}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
