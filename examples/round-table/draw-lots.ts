import { createHash } from 'node:crypto'
import { z, type WorkflowStepType } from 'parley/extension'

const fields = {
  among: z.union([z.string(), z.array(z.string()).min(1)]),
  winners: z.int().min(1).optional(),
}

/**
 * Picks some items of a list. Randomness is derived from the key of the call: if the step is called again after a crash,
 * the same items win.
 */
export const drawLots: WorkflowStepType<typeof fields> = {
  type: 'draw_lots',
  description: 'Picks some of a list by lot',
  fields,
  run({ among, winners = 1 }, { key }) {
    const names = typeof among === 'string' ? among.split(',').map((name) => name.trim()) : among
    if (winners > names.length) throw new Error(`Of ${names.length} there cannot be ${winners} winners.`)
    const lotOf = (name: string) => createHash('sha256').update(`${key} ${name}`).digest('hex')
    const drawn = names.toSorted((one, other) => (lotOf(one) < lotOf(other) ? -1 : 1)).slice(0, winners)
    return { output: drawn.join(', '), data: { drawn } }
  },
}
