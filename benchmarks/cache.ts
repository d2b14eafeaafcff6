import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { ModelAdapter, ModelEvent } from '../src/core/models/adapter.ts'
import { createParley } from '../src/parley.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import type { Bench } from './bench.ts'
import { commonPrefix } from './common-prefix.ts'

const turns = 20

/** What of the prompts of a conversation with tools was sent before, with a restart in the middle of it. */
export const cache: Bench = {
  name: 'cache',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    const prompts: string[] = []
    const statics = new Set<string>()
    const model = createNoter((tools, system, messages) => {
      statics.add(tools + system)
      prompts.push(tools + system + messages)
    })
    const open = () =>
      createParley({
        dataDir: folder,
        models: { extra: { bench: () => model }, model: model.id },
        tools: [note],
      })
    try {
      let id = ''
      for (const half of [1, 2]) {
        await using parley = await open()
        id ||= (await parley.sessions.create()).id
        for (let turn = 1; turn <= turns / 2; turn++)
          await parley.sessions.chat(id, `Please note ${half}.${turn}, ${'and take care '.repeat(turn % 5)}`)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
    const later = prompts.slice(1)
    const known = later.reduce((sum, text, index) => sum + commonPrefix(prompts[index]!, text), 0)
    return [
      {
        what: `unchanged prefix of the prompts of ${turns} turns with tools`,
        value: known / later.reduce((sum, { length }) => sum + length, 0),
        unit: '',
        goal: { min: 0.92 },
      },
      {
        what: 'static parts over these turns and a restart',
        value: statics.size,
        unit: '',
        goal: { min: 1, max: 1 },
      },
    ]
  },
}

const note = defineTool({
  name: 'note',
  description: 'Writes a line',
  input: z.strictObject({ text: z.string() }),
  execute: async ({ text }) => `noted ${text}`,
})

/** Calls the tool in each turn, then answers at some length. */
function createNoter(see: (tools: string, system: string, messages: string) => void): ModelAdapter {
  let calls = 0
  return {
    id: 'bench/noter',
    async *stream({ tools, system, messages }): AsyncGenerator<ModelEvent> {
      see(JSON.stringify(tools), JSON.stringify(system), JSON.stringify(messages))
      const isFirst = calls++ % 2 === 0
      if (isFirst) {
        yield { type: 'text-delta', text: 'Let me write that down. ' }
        yield {
          type: 'tool-call',
          toolCallId: `call_${calls}`,
          toolName: 'note',
          input: JSON.stringify({ text: `line ${calls}` }),
        }
      } else yield { type: 'text-delta', text: `Done. ${'With best wishes. '.repeat((calls * 7) % 23)}` }
      yield { type: 'finish', reason: isFirst ? 'tool-calls' : 'stop', usage: {} }
    },
  }
}
