import { Circle, CircleAlert, CircleCheck, Play } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import { Tag, type TagState } from '../../ui/tag.tsx'
import { modeTexts } from '../texts.ts'
import type { StandingProps } from './standing-props.ts'
import { readWorkflow, type WorkflowStanding } from './read-state.ts'

const marks = { done: CircleCheck, current: Play, pending: Circle }
const testStates: Record<string, TagState> = { passed: 'completed', failed: 'failed', blocked: 'degraded' }

/** Coder, reviewer, tester: who is at work, in which round, and what must be mended. */
export function WorkflowBar({ state, nameOf }: StandingProps) {
  const t = useTexts(modeTexts)
  const { phase, round, maxRounds, nodes, outcome, failure, isFinished } = readWorkflow(state)
  return (
    <>
      <ol aria-label={t.nodes} className="flex min-w-0 flex-wrap items-center gap-x-1 gap-y-1">
        {nodes.map(({ node, label, agent, status }) => {
          const Mark = marks[status === 'current' && isFinished ? 'pending' : status]
          return (
            <li
              key={node}
              data-node={node}
              data-status={status}
              aria-current={status === 'current' && !isFinished ? 'step' : undefined}
              className={`flex min-w-0 items-center gap-1 rounded-full border px-2 text-sm leading-6 ${
                status === 'current' && !isFinished
                  ? 'border-accent bg-selected font-medium'
                  : 'border-line text-muted'
              }`}
            >
              <Mark
                aria-hidden
                className={`size-3.5 shrink-0 ${status === 'done' ? 'text-[var(--run-completed)]' : ''}`}
              />
              <span className="min-w-0 truncate">
                {label}
                {agent !== undefined && !isSame(label, nameOf(agent)) && (
                  <bdi className="text-muted"> · {nameOf(agent)}</bdi>
                )}
              </span>
              <span className="sr-only">{t.nodeStatus[status]}</span>
            </li>
          )
        })}
      </ol>
      {phase !== undefined && <Tag>{t.phases[phase] ?? phase}</Tag>}
      {round !== undefined && (
        <span className="text-sm text-muted">
          {maxRounds === undefined ? t.round(round) : t.roundOf(round, maxRounds)}
        </span>
      )}
      {outcome !== undefined && (
        <Tag state={outcome === 'approved' ? 'completed' : isFinished ? 'failed' : 'degraded'}>
          {t.outcomes[outcome] ?? outcome}
        </Tag>
      )}
      {failure !== undefined && <span className="text-sm wrap-anywhere text-danger">{failure}</span>}
    </>
  )
}

const isSame = (label: string, name: string) => label.toLowerCase() === name.toLowerCase()

/** What must be fixed, and what became of the tests. */
export function WorkflowDetails({ state }: StandingProps) {
  const t = useTexts(modeTexts)
  const { mustFix, tests } = readWorkflow(state)
  return (
    <>
      {mustFix.length > 0 && (
        <section aria-label={t.mustFix(mustFix.length)} className="text-sm">
          <h3 className="flex items-center gap-1.5 font-medium text-warning">
            <CircleAlert aria-hidden className="size-4 shrink-0" />
            {t.mustFix(mustFix.length)}
          </h3>
          <ul className="list-disc pl-6">
            {mustFix.map((line) => (
              <li key={line} className="wrap-anywhere">
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      {tests.length > 0 && <Tests tests={tests} />}
    </>
  )
}

function Tests({ tests }: Pick<WorkflowStanding, 'tests'>) {
  const t = useTexts(modeTexts)
  return (
    <section aria-label={t.tests} className="text-sm">
      <h3 className="font-medium">{t.tests}</h3>
      <ul className="flex flex-col gap-0.5">
        {tests.map(({ command, status, reason, output }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same command may be there twice
          <li key={index}>
            <span className="flex min-w-0 flex-wrap items-center gap-2">
              <Tag state={testStates[status] ?? 'plain'}>{t.testStatus[status] ?? status}</Tag>
              <code className="min-w-0 wrap-anywhere">{command}</code>
              {reason !== undefined && (
                <span className="text-muted">{t.blockedReasons[reason] ?? reason}</span>
              )}
            </span>
            {output && (
              <details>
                <summary className="text-xs text-muted">{t.testOutput}</summary>
                <pre className="max-h-48 overflow-auto rounded bg-surface p-2 text-xs whitespace-pre-wrap">
                  {output}
                </pre>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
