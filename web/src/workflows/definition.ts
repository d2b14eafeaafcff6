/** A definition as far as the workbench looks into it. The server read it: what is here has the shape it says. */

export type StepType =
  | 'agent'
  | 'approve'
  | 'transform'
  | 'workflow'
  | 'parallel'
  | 'foreach'
  | 'branch'
  | 'loop'

export interface Step {
  id: string
  /** One of those, or of an extension. */
  type: string
  description?: string
  condition?: string | boolean
  /** Of a sub-workflow: its name. */
  workflow?: string
  branches?: Record<string, Step[]>
  items?: unknown
  as?: string
  steps?: Step[]
  cases?: { when: string | boolean; steps: Step[] }[]
  else?: Step[]
  until?: string | boolean
  maxIterations?: number
}

export interface Arg {
  description?: string
  type?: 'string' | 'number' | 'boolean' | 'object' | 'array'
  default?: unknown
}

export interface Definition {
  name: string
  description?: string
  args?: Record<string, Arg>
  steps: Step[]
}

export const readDefinition = (value: Record<string, unknown> | undefined): Definition | undefined =>
  value && Array.isArray(value.steps) ? (value as unknown as Definition) : undefined

/** Why the steps of a lane are run, in the words of the definition. */
export type LaneCause =
  | { kind: 'branch'; name: string }
  | { kind: 'each'; name: string; items: string }
  | { kind: 'case'; when: string }
  | { kind: 'else' }
  | { kind: 'until'; until: string; most: number }

/** Steps inside of a step, one after the other. */
export interface Lane {
  cause: LaneCause
  /** From the step to the list of its steps. */
  path: readonly (string | number)[]
  steps: readonly Step[]
}

export function lanesOf(step: Step): Lane[] {
  switch (step.type) {
    case 'parallel':
      return Object.entries(step.branches ?? {}).map(([name, steps]) => ({
        cause: { kind: 'branch', name },
        path: ['branches', name],
        steps,
      }))
    case 'foreach': {
      const items = typeof step.items === 'string' ? step.items : JSON.stringify(step.items ?? [])
      const cause = { kind: 'each', name: step.as ?? 'item', items } as const
      return [{ cause, path: ['steps'], steps: step.steps ?? [] }]
    }
    case 'branch':
      return [
        ...(step.cases ?? []).map(({ when, steps }, index): Lane => ({
          cause: { kind: 'case', when: String(when) },
          path: ['cases', index, 'steps'],
          steps,
        })),
        ...(step.else ? [{ cause: { kind: 'else' } as const, path: ['else'], steps: step.else }] : []),
      ]
    case 'loop': {
      const cause = { kind: 'until', until: String(step.until), most: step.maxIterations ?? 1 } as const
      return [{ cause, path: ['steps'], steps: step.steps ?? [] }]
    }
    default:
      return []
  }
}

export interface PlacedStep {
  step: Step
  /** In the definition: `['steps', 2, 'branches', 'text', 0]`. */
  path: readonly (string | number)[]
  /** How many steps it is in. */
  depth: number
  /** The lane it is in; none on the top level. */
  cause?: LaneCause
}

/** All steps in their order, those inside of others after what they are in. */
export const allSteps = (steps: readonly Step[]): PlacedStep[] => place(steps, ['steps'], 0)

const place = (
  steps: readonly Step[],
  path: readonly (string | number)[],
  depth: number,
  cause?: LaneCause,
): PlacedStep[] =>
  steps.flatMap((step, index) => {
    const here = [...path, index]
    return [
      { step, path: here, depth, ...(cause && { cause }) },
      ...lanesOf(step).flatMap((lane) => place(lane.steps, [...here, ...lane.path], depth + 1, lane.cause)),
    ]
  })
