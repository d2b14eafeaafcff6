import { useTexts } from '../shell/texts.ts'
import type { LaneCause } from './definition.ts'
import { workflowTexts } from './texts.ts'

/** Why the steps of a lane are run, as a person would say it. */
export function useLaneWords(): (cause: LaneCause) => string {
  const { lanes } = useTexts(workflowTexts)
  return (cause) => {
    switch (cause.kind) {
      case 'branch':
        return lanes.branch(cause.name)
      case 'each':
        return lanes.each(cause.name, cause.items)
      case 'case':
        return lanes.case(cause.when)
      case 'else':
        return lanes.else
      case 'until':
        return lanes.until(cause.until, cause.most)
    }
  }
}
