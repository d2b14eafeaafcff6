import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'

/** The static part of a session's prompts, as it is replayed until the next epoch. */
export interface Epoch {
  epoch: number
  system: string
  fragments: unknown[]
  /** Hashes of what it was made from (rules, skills): they show what changed on disk since. */
  sources: Record<string, string>
  /** Hashes of the dynamic pieces as they were last sent. */
  sent: Record<string, string>
  /** The first message of the window it was begun for. */
  windowStart: number
}

export interface EpochQueries {
  /** The newest one unless another is named. */
  getEpoch(sessionId: string, epoch?: number): Promise<Epoch | undefined>
  /** Of two nodes that begin an epoch at once, the first one's bytes count; answers those. */
  beginEpoch(sessionId: string, epoch: Epoch): Promise<Epoch>
  setEpochSent(sessionId: string, epoch: number, sent: Record<string, string>): Promise<void>
}

export function epochQueries(context: QueryContext): EpochQueries {
  const { clock } = context
  const getEpoch: EpochQueries['getEpoch'] = async (sessionId, epoch) => {
    const [row] = await (epoch === undefined
      ? selectNewest(context, [sessionId])
      : selectNumbered(context, [sessionId, epoch]))
    return row && toEpoch(row)
  }
  return {
    getEpoch,
    async beginEpoch(sessionId, { epoch, system, fragments, sources, sent, windowStart }) {
      const texts = [fragments, sources, sent].map((value) => JSON.stringify(value))
      await insertEpoch(context, [sessionId, epoch, system, ...texts, windowStart, clock.now()])
      return (await getEpoch(sessionId))!
    },
    async setEpochSent(sessionId, epoch, sent) {
      await updateSent(context, [JSON.stringify(sent), sessionId, epoch])
    },
  }
}

export const toEpoch = (row: EpochRow): Epoch => ({
  epoch: row.epoch,
  system: row.system,
  fragments: JSON.parse(row.fragments) as unknown[],
  sources: JSON.parse(row.sources) as Record<string, string>,
  sent: JSON.parse(row.sent) as Record<string, string>,
  windowStart: row.window_start,
})

export interface EpochRow {
  epoch: number
  system: string
  fragments: string
  sources: string
  sent: string
  window_start: number
}

const selectNewest = statement<EpochRow>(`
  select epoch, system, fragments, sources, sent, window_start from prompt_epochs where session_id = ? order by epoch desc limit 1
`)
const selectNumbered = statement<EpochRow>(`
  select epoch, system, fragments, sources, sent, window_start from prompt_epochs where session_id = ? and epoch = ?
`)
const insertEpoch = statement(`
  insert into prompt_epochs (session_id, epoch, system, fragments, sources, sent, window_start, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (session_id, epoch) do nothing
`)
const updateSent = statement(`update prompt_epochs set sent = ? where session_id = ? and epoch = ?`)
