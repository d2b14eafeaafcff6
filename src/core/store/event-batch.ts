import type { Chunk, RunEvent } from '../protocol/chunk.ts'

/** Events `firstSeq` to `seq`, in order and without gaps between them, as `pack` makes them. */
export interface EventBatch {
  firstSeq: number
  seq: number
  events: unknown[]
}

/** Deltas of one part in a row, stored as one: each is an event of its own, with a number of its own. */
export interface PackedDeltas {
  type: 'text-delta' | 'reasoning-delta'
  id: string
  deltas: string[]
}

/** What is stored of events in a row; `unpack` gives back exactly these events. */
export function pack(events: readonly RunEvent[]): EventBatch {
  const packed: unknown[] = []
  let open: PackedDeltas | undefined
  for (const { chunk } of events) {
    if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta') {
      open = undefined
      packed.push(chunk)
    } else if (open && open.type === chunk.type && open.id === chunk.id) {
      open.deltas.push(chunk.delta)
    } else {
      open = { type: chunk.type, id: chunk.id, deltas: [chunk.delta] }
      packed.push(open)
    }
  }
  return { firstSeq: events[0]!.seq, seq: events.at(-1)!.seq, events: packed }
}

export function unpack({ firstSeq, events }: EventBatch): RunEvent[] {
  let seq = firstSeq
  return (events as (Chunk | PackedDeltas)[]).flatMap((chunk): RunEvent[] =>
    'deltas' in chunk
      ? chunk.deltas.map((delta) => ({ seq: seq++, chunk: { type: chunk.type, id: chunk.id, delta } }))
      : [{ seq: seq++, chunk }],
  )
}
