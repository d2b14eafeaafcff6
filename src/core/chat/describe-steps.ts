import { hashText } from '../prompt/assemble.ts'
import type { Epoch } from '../store/queries/epochs.ts'
import type { RunStep } from '../store/queries/run-steps.ts'
import type { ToolList } from '../store/queries/tool-lists.ts'
import type { StoreOperations } from '../store/store.ts'
import type { RecordedFragment, StepRecord } from './step-record.ts'

/** A record with what it refers to. */
export type DescribedStep = Omit<StepRecord, 'toolList'> & Required<Pick<StepRecord, 'systemHash'>> & ToolList

/** Steps of earlier versions hold all of it themselves. */
type StoredRecord = Omit<StepRecord, 'toolList'> & Partial<Pick<StepRecord, 'toolList'> & ToolList>

/** Steps of a session, with what each was sent. */
export async function describeSteps(
  store: StoreOperations,
  sessionId: string,
  steps: readonly Pick<RunStep, 'prompt'>[],
): Promise<DescribedStep[]> {
  const epochs = new Map<number, Epoch | undefined>()
  const lists = new Map<string, ToolList | undefined>()
  const described: DescribedStep[] = []
  for (const { prompt } of steps) {
    const { toolList, ...record } = prompt as StoredRecord
    if (!epochs.has(record.epoch)) epochs.set(record.epoch, await store.getEpoch(sessionId, record.epoch))
    if (toolList !== undefined && !lists.has(toolList)) lists.set(toolList, await store.getToolList(toolList))
    const epoch = epochs.get(record.epoch)
    described.push({
      ...noList,
      ...(toolList !== undefined && lists.get(toolList)),
      ...record,
      fragments: [...(record.systemHash === undefined ? staticOf(epoch) : []), ...record.fragments],
      systemHash: record.systemHash ?? hashText(epoch?.system ?? ''),
    })
  }
  return described
}

const noList: ToolList = { toolsHash: '', tools: [], listedTools: [] }

const staticOf = (epoch: Epoch | undefined): RecordedFragment[] =>
  ((epoch?.fragments ?? []) as RecordedFragment[]).map(({ name, placement, hash, tokens }) => ({
    name,
    placement,
    hash,
    tokens,
  }))
