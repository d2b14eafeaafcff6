import type { StepText } from './definition.ts'

export type Path = readonly (string | number)[]

/** A list of steps inside of a step. */
export interface Block {
  /** From the step to the list. */
  path: Path
  steps: readonly StepText[]
  /** Names that are only defined in here. */
  locals: readonly string[]
  /** Whether later steps can refer to its steps: those of a `foreach` run many times. */
  isVisibleAfter: boolean
  /** Whether it is repeated, and can refer to its previous round. */
  isRepeated: boolean
}

const plain = { locals: [], isVisibleAfter: true, isRepeated: false }

export function blocksOf(step: StepText): Block[] {
  switch (step.type) {
    case 'parallel':
      return Object.entries(step.branches).map(([name, steps]) => ({
        ...plain,
        path: ['branches', name],
        steps,
      }))
    case 'foreach':
      return [
        {
          path: ['steps'],
          steps: step.steps,
          locals: [step.as ?? 'item', 'index'],
          isVisibleAfter: false,
          isRepeated: false,
        },
      ]
    case 'branch':
      return [
        ...step.cases.map(({ steps }, index) => ({ ...plain, path: ['cases', index, 'steps'], steps })),
        ...(step.else ? [{ ...plain, path: ['else'], steps: step.else }] : []),
      ]
    case 'loop':
      return [
        { path: ['steps'], steps: step.steps, locals: ['iteration'], isVisibleAfter: true, isRepeated: true },
      ]
    default:
      return []
  }
}

/** All steps, nested ones included, each with its path. */
export function allSteps(
  steps: readonly StepText[],
  path: Path = ['steps'],
): { step: StepText; path: Path }[] {
  return steps.flatMap((step, index) => {
    const here = [...path, index]
    return [
      { step, path: here },
      ...blocksOf(step).flatMap((block) => allSteps(block.steps, [...here, ...block.path])),
    ]
  })
}
