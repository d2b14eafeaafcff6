import { describe, expect, it } from 'vitest'
import { requireUsableTrigger, toRunArgs, type Trigger } from './trigger-args.ts'

const event = { data: { documentId: 'doc_1', title: 'Plan', folder: '' } }

describe('the args of a run that a trigger starts', () => {
  it('are what the trigger says, and else the field of that name', () => {
    const declared = { title: {}, documentId: {}, depth: {}, other: { default: 1 } }
    expect(toRunArgs(declared, { title: 'Mine', depth: 3 }, event)).toEqual({
      title: 'Mine',
      documentId: 'doc_1',
      depth: 3,
    })
  })

  it('are only those that are declared', () => {
    expect(toRunArgs({ folder: {} }, { extra: 1 }, event)).toEqual({ folder: '' })
    expect(toRunArgs({ toString: {} }, {}, event)).toEqual({})
  })

  it('are all that happened when a workflow declares none, or asks for it', () => {
    expect(toRunArgs(undefined, { depth: 3 }, event)).toEqual({ depth: 3, event: event.data })
    expect(toRunArgs({}, {}, event)).toEqual({ event: event.data })
    expect(toRunArgs({ event: {} }, {}, event)).toEqual({ event: event.data })
  })

  it('are those of the trigger alone when nothing but time has passed', () => {
    expect(toRunArgs(undefined, { depth: 3 })).toEqual({ depth: 3 })
    expect(toRunArgs({ depth: {}, event: { default: '' } }, { depth: 3 })).toEqual({ depth: 3 })
  })
})

describe('a trigger', () => {
  const cron: Trigger = { type: 'cron', schedule: '@daily' }
  const saved: Trigger = { type: 'document_saved' }

  it.each<[string, Trigger, Parameters<typeof requireUsableTrigger>[1]]>([
    [
      'gives what the workflow needs',
      { ...cron, args: { topic: 'x' } },
      { topic: {}, more: { default: '' } },
    ],
    ['gives what nobody declares', { ...cron, args: { topic: 'x' } }, undefined],
    ['gets the rest from what happens', { ...saved, filter: { folder: 'a' } }, { documentId: {}, event: {} }],
    ['looks for an item', { type: 'todo_completed', filter: { itemTitle: 'a', listId: 'tdl_1' } }, undefined],
  ])('%s', (_title, trigger, declared) => {
    expect(() => requireUsableTrigger(trigger, declared)).not.toThrow()
  })

  it.each<[string, Trigger, Parameters<typeof requireUsableTrigger>[1], string]>([
    ['that leaves out an arg', cron, { topic: {} }, 'The arg "topic" has no default'],
    ['that leaves out what does not happen', saved, { listId: {} }, 'The arg "listId" has no default'],
    ['with an arg too many', { ...cron, args: { topik: 1 } }, { topic: { default: 1 } }, 'The arg "topik"'],
    [
      'with a filter of another',
      { ...saved, filter: { itemId: 'x' } },
      undefined,
      'The filter names "itemId"',
    ],
  ])('%s is refused', (_title, trigger, declared, message) => {
    expect(() => requireUsableTrigger(trigger, declared)).toThrow(message)
  })
})
