import {
  ArrowDown,
  ArrowUp,
  BadgeCheck,
  CircleCheckBig,
  CircleStop,
  CornerDownRight,
  IndentDecrease,
  IndentIncrease,
  MessageSquare,
  Pencil,
  Play,
  Plus,
  RotateCcw,
  RotateCw,
  SkipForward,
  Split,
  Trash2,
  type LucideIcon,
} from 'lucide-react'
import type { TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'
import { isDone, placeOfStep, subtreeOf, type MoveStep, type Tree } from './plan-tree.ts'
import type { NodeStatus } from './status.ts'

/** What can be done with a node, by row menu, keys or the buttons beside it; all of them find it here. */
export interface NodeAction {
  name: NodeActionName
  icon: LucideIcon
  /** As it is shown. */
  shortcut?: string
  isDangerous?: true
}

export const runActions = [
  'run',
  'rerun',
  'stop',
  'message',
  'skip',
  'done',
  'reset',
  'accept',
  'decompose',
] as const
const editActions = ['rename', 'addInside', 'addAfter', 'up', 'down', 'in', 'out', 'remove'] as const

export type NodeActionName = (typeof runActions)[number] | (typeof editActions)[number]

export const nodeActions: readonly NodeAction[] = [
  { name: 'run', icon: Play },
  { name: 'rerun', icon: RotateCw },
  { name: 'stop', icon: CircleStop },
  { name: 'message', icon: MessageSquare },
  { name: 'skip', icon: SkipForward },
  { name: 'done', icon: CircleCheckBig },
  { name: 'reset', icon: RotateCcw },
  { name: 'accept', icon: BadgeCheck },
  { name: 'decompose', icon: Split },
  { name: 'rename', icon: Pencil, shortcut: 'F2' },
  { name: 'addInside', icon: CornerDownRight, shortcut: '⇧Ins' },
  { name: 'addAfter', icon: Plus, shortcut: 'Ins' },
  { name: 'up', icon: ArrowUp, shortcut: 'Alt+⇧+↑' },
  { name: 'down', icon: ArrowDown, shortcut: 'Alt+⇧+↓' },
  { name: 'in', icon: IndentIncrease, shortcut: 'Alt+⇧+→' },
  { name: 'out', icon: IndentDecrease, shortcut: 'Alt+⇧+←' },
  { name: 'remove', icon: Trash2, shortcut: 'Del', isDangerous: true },
]

const undone: readonly NodeStatus[] = ['partial', 'refused', 'failed']

const statusesFor: Partial<Record<NodeActionName, readonly NodeStatus[]>> = {
  run: ['pending', 'blocked', ...undone],
  rerun: ['completed', 'skipped', ...undone],
  stop: ['running'],
  message: ['running'],
  skip: ['pending', 'running', 'blocked', ...undone],
  done: ['pending', 'running', 'blocked', ...undone],
  reset: ['completed', 'skipped', 'blocked', ...undone],
  accept: undone,
  decompose: ['pending', 'blocked', 'completed', 'skipped', ...undone],
}

const steps: ReadonlySet<string> = new Set(['up', 'down', 'in', 'out'])

export const isStep = (name: NodeActionName): name is MoveStep => steps.has(name)

export function isPossible(tree: Tree, node: TreeNode, name: NodeActionName): boolean {
  if (isStep(name)) return placeOfStep(tree, node.id, name) !== undefined
  if (name === 'accept' && !node.hasResult) return false
  return statusesFor[name]?.includes(node.status) ?? true
}

/** What it, or something below it, waits for and is not done: they are done together. */
export function openDependencies(tree: Tree, node: TreeNode): TreeNode[] {
  const own = subtreeOf(tree, node.id)
  const ownIds = new Set(own.map(({ id }) => id))
  const waitedFor = new Set(own.filter((one) => !isDone(one)).flatMap(({ dependencies }) => dependencies))
  return tree.nodes.filter((one) => waitedFor.has(one.id) && !ownIds.has(one.id) && !isDone(one))
}
