/** What is stored of a model call, and what the inspector makes of it. */
import { expect, it, describe } from 'vitest'
import { z } from 'zod'
import type { RunPrompt } from '../src/core/protocol/prompt.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says } from './chat-harness.ts'
import { anyDatabase, type OpenDatabase } from './harness.ts'

const many = Array.from({ length: 500 }, (_, index) =>
  defineTool({
    name: `mcp__server__tool_${index}`,
    description: `Does the thing number ${index}, for those who need it.`,
    input: z.strictObject({ at: z.string() }),
    execute: async ({ at }) => ({ at }),
  }),
)

const openMany = (openDatabase: OpenDatabase, tools = many) =>
  openChat(
    openDatabase,
    createScripted(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? says('done') : calls([tools[0]!.name, { at: 'x' }]),
    ),
    { tools, disk: () => ({ rules: '<rules from="AGENTS.md">\nbe kind\n</rules>' }) },
  )

/** As earlier versions stored it: all of it with each step. */
const toEarlier = ({ steps }: RunPrompt) =>
  steps.map(({ step: _, cache: _cache, loadedTools: _loaded, ...record }) => record)

describe.each(anyDatabase)('the record of a model call on %s', (_name, openDatabase) => {
  it('is as short with 500 tools as with one', async () => {
    const lengths: number[] = []
    for (const tools of [many, many.slice(0, 1)]) {
      await using chat = await openMany(openDatabase, tools)
      const { runId } = await chat.ask('hi')
      const steps = await chat.store.listRunSteps(runId)
      expect(steps).toHaveLength(2)
      lengths.push(...steps.map(({ prompt }) => JSON.stringify(prompt).length))
      const { steps: described } = await chat.chats.inspectRun('default', runId)
      for (const { tools: whole, listedTools } of described)
        expect([...whole, ...listedTools]).toEqual(expect.arrayContaining(tools.map(({ name }) => name)))
    }
    expect(Math.max(...lengths)).toBeLessThan(400)
    expect(lengths.slice(0, 2)).toEqual(lengths.slice(2))
  })

  it('answers the same when it was stored by an earlier version', async () => {
    await using chat = await openMany(openDatabase)
    const runIds = [(await chat.ask('one')).runId, (await chat.ask('two')).runId]
    const inspect = () =>
      Promise.all([
        ...runIds.map((id) => chat.chats.inspectRun('default', id)),
        ...runIds.flatMap((id) => [1, 2].map((step) => chat.chats.inspectStep('default', id, step))),
      ])
    const answers = await inspect()
    const [first, second] = answers as RunPrompt[]
    expect(first!.steps[0]!.fragments.map(({ placement }) => placement)).toContain('static')
    expect(second!.steps[0]!.systemHash).toHaveLength(16)
    const { sessionId } = chat
    const storeAsEarlier = async (told: RunPrompt) => {
      const { input } = (await chat.store.getRun('default', told.runId))!
      const begun = { scope: 'default', sessionId, kind: 'turn', input }
      const { run, lease } = await chat.store.startRun(begun, { owner: 'earlier', leaseMs: 60_000 })
      const steps = await chat.store.listRunSteps(told.runId)
      for (const [index, prompt] of toEarlier(told).entries())
        await chat.store.putRunStep(lease, { ...steps[index]!, lastEventSeq: 1, prompt })
      await chat.store.finishRun(lease, { status: 'completed' })
      return run.id
    }
    const earlier = [await storeAsEarlier(first!), await storeAsEarlier(second!)]
    const told = (id: string) => chat.chats.inspectRun('default', id)
    const [again, andAgain] = [await told(earlier[0]!), await told(earlier[1]!)]
    const stepsOf = (prompt: RunPrompt) => prompt.steps.map(({ runId: _, cache: _cache, ...step }) => step)
    expect(stepsOf(again)).toEqual(stepsOf(first!))
    expect(stepsOf(andAgain)).toEqual(stepsOf(second!))
    for (const step of [1, 2])
      expect({
        ...(await chat.chats.inspectStep('default', earlier[1]!, step)),
        runId: '',
        cache: {},
      }).toEqual({
        ...(await chat.chats.inspectStep('default', runIds[1]!, step)),
        runId: '',
        cache: {},
      })
  })
})
