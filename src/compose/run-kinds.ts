import type { BackgroundManager } from '../background/manager.ts'
import type { Turns } from '../chat/turns.ts'
import type { RunEngine } from '../dispatch/run-engine.ts'
import { createPlanAdvance } from '../plan/advance.ts'
import type { PlanDeps } from '../plan/deps.ts'
import { createRoomAdvance } from '../room/advance.ts'
import type { RoomDeps } from '../room/deps.ts'
import { createAdvance } from '../workflow/advance.ts'
import type { WorkflowDeps } from '../workflow/deps.ts'

/** Every kind of run that a Parley executes; with the last of them, the engine can be started. */
export function registerRunKinds(
  engine: RunEngine,
  { runKind: turn }: Turns,
  work: { background: BackgroundManager; workflow: WorkflowDeps; plan: PlanDeps; room: RoomDeps },
): void {
  engine.register('turn', turn)
  engine.register('background', { ...turn, ...work.background.runKind })
  // agents of programs execute their own; what one leaves behind is ended here
  engine.register('agent', { ...turn, isLocal: true })
  engine.register('workflow', createAdvance(work.workflow))
  engine.register('plan', createPlanAdvance(work.plan))
  engine.register('room', createRoomAdvance(work.room))
}
