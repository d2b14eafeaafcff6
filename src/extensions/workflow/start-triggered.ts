import { notFound } from '../../core/protocol/error.ts'
import type { ScheduleDeps } from '../schedule/schedule-service.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { StartRunIn } from './workflow-service.ts'
import { readDefinition } from './read-definition.ts'
import { toRunArgs } from './trigger-args.ts'

export interface TriggeredStartDeps {
  /** The definition as it is now, with the session whose model wrote it. */
  findDefinition(
    tx: StoreOperations,
    scope: string,
    id: string,
  ): Promise<{ id: string; version: number; text: string; writtenIn?: string } | undefined>
  startRunIn: StartRunIn
}

/** How crons and event hooks start the workflow that they belong to. */
export const createTriggeredStart =
  ({ findDefinition, startRunIn }: TriggeredStartDeps): ScheduleDeps['startWorkflow'] =>
  async (tx, { workflowId, args, event, ...request }) => {
    const workflow = await findDefinition(tx, request.scope, workflowId)
    if (!workflow) throw notFound('workflow', workflowId)
    const { id, version, text, writtenIn } = workflow
    const { args: declared } = readDefinition(text)
    return startRunIn(tx, {
      ...request,
      text,
      workflow: { id, version },
      args: toRunArgs(declared, args, event),
      writtenIn,
    })
  }
