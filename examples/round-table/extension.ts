import { defineExtension, rooms, workflows } from 'parley/extension'
import { roundTable } from './round-table.ts'
import { drawLots } from './draw-lots.ts'

/** A room mode and a workflow step type, for the built-in rooms and workflows. */
export default defineExtension({
  name: 'round-table',
  needs: [rooms, workflows],
  create(_core, { use }) {
    use(rooms).registerMode(roundTable)
    use(workflows).registerStep(drawLots)
    return { service: undefined }
  },
})
