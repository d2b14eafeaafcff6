import { allSteps } from './blocks.ts'
import type { DefinitionText, StepText } from './definition.ts'

/** A step with an id, as all its inner steps have. */
export type Step = StepText & { id: string }
export type OfType<Type extends Step['type']> = Extract<Step, { type: Type }>

export interface Definition extends Omit<DefinitionText, 'steps'> {
  steps: Step[]
}

/** Gives an id to steps that have none: `step_3` for the third of all. */
export function nameSteps(definition: DefinitionText): Definition {
  const all = allSteps(definition.steps)
  const taken = new Set(all.flatMap(({ step }) => step.id ?? []))
  for (const [index, { step }] of all.entries()) {
    let number = index + 1
    while (step.id === undefined && taken.has(`step_${number}`)) number += all.length
    step.id ??= `step_${number}`
    taken.add(step.id)
  }
  return definition as Definition
}
