import {
  Bot,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleStop,
  GitFork,
  Hourglass,
  LoaderCircle,
  Puzzle,
  Repeat,
  Rows3,
  ShieldQuestion,
  Split,
  Wand,
  Workflow,
  type LucideIcon,
  type LucideProps,
} from 'lucide-react'
import { createElement } from 'react'
import type { TagState } from '../ui/tag.tsx'
import type { StepType } from './definition.ts'

const typeIcons: Record<StepType, LucideIcon> = {
  agent: Bot,
  approve: ShieldQuestion,
  transform: Wand,
  workflow: Workflow,
  parallel: GitFork,
  foreach: Rows3,
  branch: Split,
  loop: Repeat,
}

const isKnown = (type: string): type is StepType => Object.hasOwn(typeIcons, type)

/** Steps of an extension share one, and are called by their type. */
export const StepIcon = ({ type, ...props }: LucideProps & { type: string }) =>
  createElement(isKnown(type) ? typeIcons[type] : Puzzle, props)

export const typeNameOf = (names: Readonly<Record<StepType, string>>, type: string): string =>
  isKnown(type) ? names[type] : type

export type Status =
  | 'pending'
  | 'running'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'timeout'
  | 'skipped'
  | 'cancelled'
  | 'interrupted'

export const statusIcons: Record<Status, LucideIcon> = {
  pending: CircleDashed,
  running: LoaderCircle,
  paused: CirclePause,
  completed: CircleCheck,
  failed: CircleAlert,
  timeout: Hourglass,
  skipped: CircleSlash,
  cancelled: CircleStop,
  interrupted: CircleAlert,
}

export const statusStates: Record<Status, TagState> = {
  pending: 'queued',
  running: 'running',
  paused: 'degraded',
  completed: 'completed',
  failed: 'failed',
  timeout: 'failed',
  skipped: 'plain',
  cancelled: 'cancelled',
  interrupted: 'failed',
}
