import type { ComponentType } from 'react'
import { QuizBar, QuizDetails } from './quiz-bar.tsx'
import type { StandingProps } from './standing-props.ts'
import { WerewolfBar, WerewolfDetails } from './werewolf-bar.tsx'
import { WorkflowBar, WorkflowDetails } from './workflow-bar.tsx'

interface Standing {
  /** In the bar. */
  Bar: ComponentType<StandingProps>
  /** Below it, when it is opened. */
  Details: ComponentType<StandingProps>
  hasDetails(state: StandingProps['state']): boolean
}

const hasSome = (value: unknown) => Array.isArray(value) && value.length > 0

/** How a mode is shown; one that is not here has its name and the button that takes it on. */
export const standings: Readonly<Record<string, Standing>> = {
  workflow: {
    Bar: WorkflowBar,
    Details: WorkflowDetails,
    hasDetails: ({ mustFix, tests }) => hasSome(mustFix) || hasSome(tests),
  },
  werewolf: { Bar: WerewolfBar, Details: WerewolfDetails, hasDetails: ({ votes }) => hasSome(votes) },
  quiz: { Bar: QuizBar, Details: QuizDetails, hasDetails: () => true },
}
