import {
  Ban,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  Hourglass,
  LoaderCircle,
  ShieldQuestion,
  TriangleAlert,
} from 'lucide-react'
import { memo, Suspense, useState } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import { changedFilesOf } from '../../../../src/extensions/terminal/protocol/changed-files.ts'
import { cut } from '../../../../src/core/shared/text.ts'
import { LazyView } from '../../shell/lazy-view.tsx'
import { useTexts } from '../../shell/texts.ts'
import { TimeLeft } from '../../approvals/time-left.tsx'
import { useApproval } from '../../approvals/use-approvals.ts'
import { Loading } from '../../ui/states.tsx'
import { Tag } from '../../ui/tag.tsx'
import { VisibleText } from '../../ui/visible-text.ts'
import { sessionTexts } from '../texts.ts'
import { toolNameOf } from './part-groups.ts'
import { toText, ValueView } from '../../ui/value-view.tsx'

type ToolState = 'preparing' | 'running' | 'asks' | 'awaits' | 'done' | 'error' | 'denied' | 'expired'

const icons = {
  preparing: LoaderCircle,
  running: LoaderCircle,
  asks: ShieldQuestion,
  awaits: Hourglass,
  done: CircleCheck,
  error: CircleAlert,
  denied: Ban,
  expired: Hourglass,
}
const tagStates = {
  preparing: 'queued',
  running: 'running',
  asks: 'degraded',
  awaits: 'queued',
  done: 'completed',
  error: 'failed',
  denied: 'failed',
  expired: 'degraded',
} as const

/** One call of a tool: a line that says what and how it stands, and behind it what went in and came out. */
export const ToolCard = memo(function ToolCard({ part }: { part: Part }) {
  const t = useTexts(sessionTexts)
  const [isOpen, setOpen] = useState(false)
  const state = useToolState(part)
  const Icon = icons[state]
  const isWorking = state === 'preparing' || state === 'running'
  return (
    <div data-tool-state={state}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 px-3 py-1.5 text-start text-sm hover:bg-hover"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 text-muted ${isOpen ? 'rotate-90' : ''}`} />
        <bdi className="max-w-1/2 shrink-0 truncate font-mono">{toolNameOf(part)}</bdi>
        <bdi className="min-w-0 flex-1 truncate text-muted">{summaryOf(part)}</bdi>
        <Tag state={tagStates[state]}>
          <Icon aria-hidden className={`size-3.5 ${isWorking ? 'animate-spin' : ''}`} />
          {t.toolState[state]}
        </Tag>
      </button>
      {state === 'asks' && <AskOf part={part} />}
      {state === 'awaits' && <Awaited part={part} />}
      <ChangedFiles paths={changedFilesOf(toolNameOf(part), part.output)} />
      {isOpen && (
        <>
          <ValueView label={t.arguments} value={part.input ?? part.inputText} />
          {state === 'done' && <ValueView label={t.output} value={part.output} />}
          {state === 'error' && <ValueView label={t.errorOutput} value={part.errorText} isError />}
          {isRefused(state) && <ValueView label={t.refusal} value={approvalOf(part)?.reason} />}
        </>
      )}
    </div>
  )
})

/** Who said no is stored with the call when the turn ends, and until then known of the ask alone. */
function useToolState(part: Part): ToolState {
  const isOpen = part.state === 'output-denied' && part.deniedBy === undefined
  const { data } = useApproval(isOpen ? approvalOf(part)?.id : undefined)
  return data?.status === 'expired' ? 'expired' : stateOf(part)
}

const loadAsk = async () => (await import('../../approvals/ask.tsx')).AskById

/** What the call waits for, in its place. */
export function AskOf({ part }: { part: Part }) {
  const id = approvalOf(part)?.id
  return (
    id !== undefined && (
      <div className="border-t border-line bg-mark/30 px-3 py-2">
        <Suspense fallback={<Loading />}>
          <LazyView load={loadAsk} id={id} />
        </Suspense>
      </div>
    )
  )
}

/** That neither Parley nor whoever looks on has to do anything, and for how long. */
function Awaited({ part }: { part: Part }) {
  const t = useTexts(sessionTexts)
  return (
    <div className="flex items-center justify-between gap-2 border-t border-line px-3 py-1 text-sm text-muted">
      {t.awaited}
      <TimeLeft until={(part.awaited as { expiresAt: string }).expiresAt} />
    </div>
  )
}

/** What a command made of files that other programs run: whoever runs something there next should know. */
function ChangedFiles({ paths }: { paths: readonly string[] }) {
  const t = useTexts(sessionTexts)
  if (paths.length === 0) return null
  return (
    <div className="border-t border-line px-3 py-1.5 text-sm">
      <p className="flex gap-1.5 text-warning">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        {t.runFilesChanged}
      </p>
      <ul aria-label={t.runFilesChanged} className="ps-5.5">
        {paths.map((path) => (
          <li key={path}>
            <bdi className="font-mono text-[13px] break-all">
              <VisibleText text={path} isExact isLine />
            </bdi>
          </li>
        ))}
      </ul>
    </div>
  )
}

const isRefused = (state: ToolState) => state === 'denied' || state === 'expired'

const approvalOf = ({ approval }: Part) =>
  approval as { id?: string; approved?: boolean; reason?: string } | undefined

export function stateOf({ state, deniedBy, awaited }: Part): ToolState {
  switch (state) {
    case 'input-streaming':
      return 'preparing'
    case 'output-available':
      return 'done'
    case 'output-error':
      return 'error'
    case 'approval-requested':
      return 'asks'
    case 'output-denied':
      return deniedBy === 'timeout' ? 'expired' : 'denied'
    default:
      return awaited === undefined ? 'running' : 'awaits'
  }
}

const maxSummary = 200

/** The arguments on one line, which is drawn with a mark where it ends early. */
const summaryOf = ({ input, inputText }: Part) =>
  cut(
    input === undefined ? toText(inputText) : JSON.stringify(input) === '{}' ? '' : JSON.stringify(input),
    maxSummary,
  )
