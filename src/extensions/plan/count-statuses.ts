import type { Step } from './plan-step.ts'

/** The nodes of a run by how they ended; those that could not start are `skipped`. */
export interface Tally {
  executed: number[]
  partial: number[]
  refused: number[]
  failed: number[]
  skipped: number[]
}

export function tallyOf(steps: readonly Step[]): Tally {
  const idsWith = (status: Step['status']) =>
    steps.flatMap((step) => (step.status === status && step.nodeId !== undefined ? [step.nodeId] : []))
  return {
    executed: idsWith('completed'),
    partial: idsWith('partial'),
    refused: idsWith('refused'),
    failed: idsWith('failed'),
    skipped: idsWith('skipped'),
  }
}

/** Such as `2 done (1, 3); 1 refused (2); 0 failed; 0 blocked`. */
export function describeTally({ executed, partial, refused, failed, skipped }: Tally): string {
  return [
    `${executed.length} done${listed(executed)}`,
    partial.length > 0 && `${partial.length} partial${listed(partial)}`,
    refused.length > 0 && `${refused.length} refused${listed(refused)}`,
    `${failed.length} failed${listed(failed)}`,
    `${skipped.length} blocked${listed(skipped)}`,
  ]
    .filter(Boolean)
    .join('; ')
}

const maxListed = 50
const listed = (ids: readonly number[]) =>
  ids.length === 0 ? '' : ` (${ids.slice(0, maxListed).join(', ')}${ids.length > maxListed ? ', …' : ''})`
