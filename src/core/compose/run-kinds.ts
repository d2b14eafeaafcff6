import type { BackgroundManager } from '../tasks/manager.ts'
import type { Turns } from '../chat/turns.ts'
import type { RunEngine } from '../runs/run-engine.ts'
import { createPlanAdvance } from '../../extensions/plan/advance.ts'
import type { PlanDeps } from '../../extensions/plan/deps.ts'
import { roomInputs } from '../../extensions/room/room-inputs.ts'
import { createRoomAdvance } from '../../extensions/room/advance.ts'
import type { RoomDeps } from '../../extensions/room/deps.ts'
import { createAdvance } from '../../extensions/workflow/advance.ts'
import type { WorkflowDeps } from '../../extensions/workflow/deps.ts'

/** Every kind of run that a Parley executes; with the last of them, the engine can be started. */
export function registerRunKinds(
  engine: RunEngine,
  { runKind: turn }: Turns,
  work: { background: BackgroundManager; workflow: WorkflowDeps; plan: PlanDeps; room: RoomDeps },
): void {
  engine.register('turn', turn)
  engine.register('background', { ...turn, ...work.background.runKind, takesInput: () => false })
  // agents of programs execute their own; what one leaves behind is ended here
  engine.register('agent', { ...turn, isLocal: true })
  engine.register('workflow', { ...createAdvance(work.workflow), ownsSession: true })
  engine.register('plan', { ...createPlanAdvance(work.plan), ownsSession: true })
  engine.register('room', { ...createRoomAdvance(work.room), ...roomInputs })
}
