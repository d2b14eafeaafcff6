import { defineExtension, rooms, workflows } from 'parley/extension'
import { roundTable } from './round-table.ts'
import { drawLots } from './draw-lots.ts'

/** A mode of rooms and a type of workflow step, for those that come with Parley. */
export default defineExtension({
  name: 'round-table',
  needs: [rooms, workflows],
  create(_core, { use }) {
    use(rooms).registerMode(roundTable)
    use(workflows).registerStep(drawLots)
    return { service: undefined }
  },
})
