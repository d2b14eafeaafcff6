import type { StoreOperations } from '../store/store.ts'

/** Which model answered in a run, and how long that took, as far as it is known. */
export interface ReadCall {
  provider: string | null
  model: string | null
  duration_ms: number | null
}

export async function readCall(store: StoreOperations, scope: string, runId: string): Promise<ReadCall> {
  const run = await store.getRun(scope, runId)
  const [step] = run ? await store.listRunSteps(runId) : []
  const { model = null } = (step?.prompt ?? {}) as { model?: string }
  return {
    provider: model?.split('/')[0] ?? null,
    model,
    duration_ms:
      run?.startedAt === undefined || run.finishedAt === undefined ? null : run.finishedAt - run.startedAt,
  }
}
