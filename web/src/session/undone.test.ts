import { expect, it } from 'vitest'
import type { Message } from '../../../src/client/index.ts'
import type { CheckpointList } from '../../../src/core/protocol/rollback.ts'
import { toUndone } from './undone.ts'

const message = (seq: number) => ({ id: `msg_${seq}`, seq }) as Message
const messages = [1, 2, 3, 4, 5].map(message)
const checkpoint = (messageSeq: number, changes: number) =>
  ({ id: `cp_${messageSeq}`, messageSeq, changes }) as CheckpointList['items'][number]
const checkpoints = [checkpoint(0, 1), checkpoint(2, 3), checkpoint(4, 2)]

it('counts what goes with a turn and all after it', () => {
  expect(toUndone(messages[2]!, checkpoints, messages)).toMatchObject({
    checkpointId: 'cp_2',
    messageCount: 3,
    changes: 5,
  })
})

it('goes nowhere without a checkpoint', () => {
  expect(toUndone(messages[1]!, checkpoints, messages)).toBeUndefined()
})
