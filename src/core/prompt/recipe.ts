import type { Fragment } from './fragment.ts'
import { availableSkills } from './fragments/available-skills.ts'
import { callerPreamble } from './fragments/caller-preamble.ts'
import { contextChanges } from './fragments/context-changes.ts'
import { currentDate } from './fragments/current-date.ts'
import { env } from './fragments/env.ts'
import { identity } from './fragments/identity.ts'
import { instructions } from './fragments/instructions.ts'
import { matchingRules } from './fragments/matching-rules.ts'
import { leftWindow } from './fragments/left-window.ts'
import { memo } from './fragments/memo.ts'
import { outputSchema } from './fragments/output-schema.ts'
import { promptInjection } from './fragments/prompt-injection.ts'
import { references } from './fragments/references.ts'
import { rules } from './fragments/rules.ts'
import { sessionInstructions } from './fragments/session-instructions.ts'
import { skills } from './fragments/skills.ts'
import { taskState } from './fragments/task-state.ts'
import { workspaceContext } from './fragments/workspace-context.ts'

/** What stands between the static part and the window, in every recipe. */
export const windowHead: Fragment[] = [memo, leftWindow]

/** The ordered fragments of a type of session: a static part that caches, a dynamic tail that goes with each input. */
export interface Recipe {
  sessionStatic: readonly Fragment[]
  perTurnDynamic: readonly Fragment[]
  acceptCallerPreamble: boolean
}

/** Where a fragment stands in recipes that others made: next to this one, wherever there is one of that name. */
export type NeighbouredFragment = { fragment: Fragment; part: 'static' | 'dynamic' } & (
  | { before: string }
  | { after: string }
)

/** What follows everything else around the input of a turn. */
export const inputTail: readonly Fragment[] = [
  currentDate,
  contextChanges,
  matchingRules,
  references,
  promptInjection,
  outputSchema,
]
const tail = [workspaceContext, ...inputTail]
/** Of background sessions; the state is next to the input, so that it is read after what it takes back. */
export const taskTail: readonly Fragment[] = [...tail, taskState]

/** In every recipe that says where it is, those of extensions too. */
export const instructionsPlace: NeighbouredFragment = {
  fragment: sessionInstructions,
  part: 'static',
  after: env.name,
}

export const interactiveRecipe: Recipe = {
  sessionStatic: [identity, instructions, rules, env, sessionInstructions, availableSkills, skills],
  acceptCallerPreamble: false,
  perTurnDynamic: tail,
}

export const taskRecipe: Recipe = taskRecipeWith()

/** Of a background session whose prompt describes what it is a part of. */
export function taskRecipeWith(...context: Fragment[]): Recipe {
  return {
    sessionStatic: [
      identity,
      instructions,
      rules,
      env,
      sessionInstructions,
      ...context,
      availableSkills,
      skills,
      callerPreamble,
    ],
    acceptCallerPreamble: true,
    perTurnDynamic: taskTail,
  }
}

/** A recipe with what others have for it; of several at one place, the first stands nearest to what came before it. */
export function withPlaces(recipe: Recipe, places: readonly NeighbouredFragment[]): Recipe {
  const place = (part: NeighbouredFragment['part'], fragments: readonly Fragment[]) => {
    const placed = [...fragments]
    for (const { fragment, ...where } of places.filter((one) => one.part === part)) {
      if (placed.includes(fragment)) continue
      const anchor = 'before' in where ? where.before : where.after
      const at = placed.findIndex(({ name }) => name === anchor)
      if (at >= 0) placed.splice('before' in where ? at : at + 1, 0, fragment)
    }
    return placed
  }
  return {
    ...recipe,
    sessionStatic: place('static', recipe.sessionStatic),
    perTurnDynamic: place('dynamic', recipe.perTurnDynamic),
  }
}
