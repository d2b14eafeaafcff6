import { X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { PlanNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { appTexts } from '../../shell/shell-texts.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { SessionLink } from '../../ui/session-link.tsx'
import { EditableText } from '../editable-text.tsx'
import { NameBox } from '../name-box.tsx'
import { nodeActions, runActions } from '../node-actions.ts'
import { nodeTexts } from '../texts.ts'
import type { Tree } from '../plan-tree.ts'
import { Stale } from '../stale.tsx'
import { StatusTag } from '../status-mark.tsx'
import type { NodeActions } from '../use-node-actions.tsx'
import type { PlanDeeds } from '../use-plan-deeds.ts'
import { Acceptance } from './acceptance.tsx'
import { DependencyList } from './dependency-list.tsx'
import { NodeContext } from './node-context.tsx'
import { NodeFigures } from './node-figures.tsx'
import { NodeResult } from './node-result.tsx'

export interface NodeDetailProps {
  planId: string
  node: PlanNode
  tree: Tree
  version: number
  actions: NodeActions
  deeds: PlanDeeds
  /** None where something around it closes it. */
  onClose?(): void
  onGoTo(id: number): void
}

// as long as the server takes it
const maxInstruction = 50_000

export function NodeDetail({
  planId,
  node,
  tree,
  version,
  actions,
  deeds,
  onClose,
  onGoTo,
}: NodeDetailProps) {
  const t = useTexts(nodeTexts)
  return (
    <div className="flex flex-col gap-4 p-3 text-sm">
      <Head node={node} deeds={deeds} onClose={onClose} />
      <div className="flex flex-wrap gap-1.5">
        {nodeActions
          .filter(({ name }) => (runActions as readonly string[]).includes(name) && actions.can(node, name))
          .map(({ name, icon: Icon }) => (
            <Button
              key={name}
              size="small"
              variant={name === 'run' ? 'primary' : 'plain'}
              onClick={() => actions.perform(node, name)}
            >
              <Icon aria-hidden />
              {t.actions[name]}
            </Button>
          ))}
      </div>
      <Section title={t.instruction}>
        <EditableText
          name={`${planId}/${node.id}/instruction`}
          label={t.instruction}
          value={node.instruction}
          empty={t.noInstruction}
          version={version}
          maxLength={maxInstruction}
          onSave={(instruction, base) => deeds.update(node.id, { instruction }, base)}
        />
      </Section>
      <Section title={t.dependencies}>
        <DependencyList node={node} tree={tree} onGoTo={onGoTo} deeds={deeds} />
      </Section>
      <Section title={t.acceptance}>
        <Acceptance planId={planId} node={node} version={version} deeds={deeds} />
      </Section>
      {node.context && (
        <Section title={t.context}>
          <NodeContext context={node.context} />
        </Section>
      )}
      {node.result && (
        <Section title={t.result}>
          <NodeResult result={node.result} />
        </Section>
      )}
      <NodeFigures node={node} />
      {node.sessionId !== undefined && (
        <p>
          <SessionLink sessionId={node.sessionId}>{t.openSession}</SessionLink>
        </p>
      )}
    </div>
  )
}

function Head({ node, deeds, onClose }: Pick<NodeDetailProps, 'node' | 'deeds' | 'onClose'>) {
  const t = useTexts(nodeTexts)
  const { close } = useTexts(appTexts)
  const [isRenaming, setRenaming] = useState(false)
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-start gap-1">
        {isRenaming ? (
          <NameBox
            label={t.newName}
            name={node.name}
            className="flex-1 text-base font-semibold"
            onDone={(name) => {
              setRenaming(false)
              if (name !== undefined) void deeds.rename(node.id, name)
            }}
          />
        ) : (
          <h2 className="min-w-0 flex-1 text-base font-semibold">
            <button
              type="button"
              title={t.actions.rename}
              onClick={() => setRenaming(true)}
              className="max-w-full rounded px-1 text-start wrap-anywhere hover:bg-hover"
            >
              <bdi>{node.name}</bdi>
            </button>
          </h2>
        )}
        {onClose && (
          <IconButton size="small" label={close} onClick={onClose}>
            <X />
          </IconButton>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2 px-1">
        <StatusTag status={node.status} />
        {node.stale && <Stale ids={node.stale} />}
        <span className="text-muted">#{node.id}</span>
      </div>
      {node.reason && (
        <p className={node.status === 'failed' ? 'px-1 text-danger' : 'px-1 text-muted'}>
          <bdi className="wrap-anywhere whitespace-pre-wrap">{node.reason}</bdi>
        </p>
      )}
    </div>
  )
}

export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-1">
    <h3 className="text-xs font-semibold text-muted">{title}</h3>
    {children}
  </section>
)
