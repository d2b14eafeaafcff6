import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { isFailure, urgentOf, type StepStatus } from './overlay.ts'

/** One line of the table of a run. */
export type RunRow =
  | { type: 'step'; key: string; depth: number; step: WorkflowStep }
  | {
      type: 'round'
      /** `all#12`: the way to what is in it, without the last slash. */
      key: string
      depth: number
      round: number
      status: StepStatus
      startedAt?: string
      finishedAt?: string
      /** What went wrong in it, or else what came of it. */
      preview?: string
      isOpen: boolean
    }
  | { type: 'more'; key: string; depth: number; path: string; hidden: number; rounds: Rounds }

/** How the rounds of a step stand. */
export interface Rounds {
  all: number
  failed: number
  going: number
}

export interface Folding {
  /** Rounds that somebody opened or closed. */
  rounds: ReadonlyMap<string, boolean>
  /** How many rounds of a step are listed, where somebody wanted more. */
  listed: ReadonlyMap<string, number>
}

// what fits on a screen is not folded
const fewRounds = 4
export const roundsPerPage = 20

interface Node {
  step: WorkflowStep
  rounds: Map<number, Node[]>
  inside: Node[]
}

/** The steps as a tree, those inside of others below them; rounds are folded where there are many. */
export function toRunRows(steps: readonly WorkflowStep[], folding: Folding): RunRow[] {
  const rows: RunRow[] = []
  addNodes(rows, toTree(steps), 0, folding)
  return rows
}

function toTree(steps: readonly WorkflowStep[]): Node[] {
  const nodes = new Map(
    steps.map((step): [string, Node] => [step.path, { step, rounds: new Map(), inside: [] }]),
  )
  const top: Node[] = []
  for (const node of nodes.values()) {
    const { parent, round } = parentOf(node.step.path)
    const outer = parent === undefined ? undefined : nodes.get(parent)
    if (!outer) top.push(node)
    else if (round === undefined) outer.inside.push(node)
    else outer.rounds.set(round, [...(outer.rounds.get(round) ?? []), node])
  }
  return top
}

/** `a/b#2/c` is in the second round of `a/b`. */
function parentOf(path: string): { parent?: string; round?: number } {
  const end = path.lastIndexOf('/')
  if (end < 0) return {}
  const [, parent = '', round] = /^(.*?)(?:#(\d+))?$/.exec(path.slice(0, end)) ?? []
  return { parent, ...(round !== undefined && { round: Number(round) }) }
}

function addNodes(rows: RunRow[], nodes: readonly Node[], depth: number, folding: Folding): void {
  for (const node of nodes) {
    rows.push({ type: 'step', key: node.step.path, depth, step: node.step })
    addNodes(rows, node.inside, depth + 1, folding)
    addRounds(rows, node, depth + 1, folding)
  }
}

function addRounds(rows: RunRow[], { step, rounds }: Node, depth: number, folding: Folding): void {
  const all = [...rounds]
    .toSorted(([a], [b]) => a - b)
    .map(([round, nodes]) => ({ round, nodes, statuses: statusesOf(nodes), key: `${step.path}#${round}` }))
  const isMany = all.length > fewRounds
  const most = folding.listed.get(step.path) ?? roundsPerPage
  // what went wrong, is going on or was opened is listed wherever it is
  const isWanted = ({ statuses, key }: (typeof all)[number]) =>
    statuses.some((status) => isFailure(status) || isGoing(status)) || folding.rounds.has(key)
  let urgentLeft = roundsPerPage
  const listed = all.filter((one, index) => index < most || (isWanted(one) && urgentLeft-- > 0))
  for (const { key, round, nodes, statuses } of listed) {
    const isOpen = folding.rounds.get(key) ?? !isMany
    const inner = nodes.map((node) => node.step)
    const isOver = !statuses.some(isGoing)
    rows.push({
      type: 'round',
      key,
      depth,
      round,
      status: urgentOf(statuses) ?? 'pending',
      ...times(inner, isOver),
      ...previewOf(inner),
      isOpen,
    })
    if (isOpen) addNodes(rows, nodes, depth + 1, folding)
  }
  if (listed.length < all.length)
    rows.push({
      type: 'more',
      key: `${step.path}#more`,
      depth,
      path: step.path,
      hidden: all.length - listed.length,
      rounds: {
        all: all.length,
        failed: all.filter(({ statuses }) => statuses.some(isFailure)).length,
        going: all.filter(({ statuses }) => statuses.some(isGoing)).length,
      },
    })
}

const isGoing = (status: StepStatus) => status === 'running' || status === 'paused' || status === 'pending'

const statusesOf = (nodes: readonly Node[]): StepStatus[] =>
  nodes.flatMap(({ step, inside, rounds }) => [
    step.status,
    ...statusesOf(inside),
    ...[...rounds.values()].flatMap(statusesOf),
  ])

function times(steps: readonly WorkflowStep[], isOver: boolean) {
  const begun = steps.flatMap(({ startedAt }) => startedAt ?? []).toSorted()[0]
  const ended = steps
    .flatMap(({ finishedAt }) => finishedAt ?? [])
    .toSorted()
    .at(-1)
  return {
    ...(begun !== undefined && { startedAt: begun }),
    ...(isOver && ended !== undefined && { finishedAt: ended }),
  }
}

// what fits on a line
const maxPreview = 200

function previewOf(steps: readonly WorkflowStep[]) {
  const text = steps.find(({ error }) => error)?.error ?? steps.findLast(({ output }) => output)?.output
  return text === undefined ? {} : { preview: text.slice(0, maxPreview) }
}

/** The rounds that a step is in, outermost first: all of them have to be open for it to be seen. */
export const roundsAround = (path: string): string[] => {
  const parts = path.split('/')
  return parts.flatMap((part, index) =>
    part.includes('#') && index < parts.length - 1 ? parts.slice(0, index + 1).join('/') : [],
  )
}
