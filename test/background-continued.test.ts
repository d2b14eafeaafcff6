import { describe, expect, it } from 'vitest'
import { says } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { openTasks, submit } from './task-harness.ts'

describe.each(anyDatabase)('talking to a background session after its end, on %s,', (_name, openDatabase) => {
  it('says once that the task is over, and leaves what was sent before as it was', async () => {
    await using parley = await openTasks(openDatabase, ({ tools }) =>
      tools.some(({ name }) => name === 'set_result') ? submit() : says('It was easy.'),
    )
    const { id } = await parley.sessions.create({
      kind: 'background',
      prompt: 'work',
      systemInstructions: 'Be brief.',
    })
    await parley.until(id, 'completed')
    await parley.sessions.chat(id, 'How did it go?')
    await parley.sessions.chat(id, 'And what is next?')
    const [task, first, second] = parley.model.requests
    expect(task!.system).toContain('call set_result once')
    expect(JSON.stringify(task!.messages)).not.toContain('task_state')

    for (const request of [first!, second!]) {
      expect(request.system).toBe(task!.system)
      expect(request.messages[0]).toEqual(task!.messages[0])
      expect(request.tools.map(({ name }) => name)).not.toContain('set_result')
    }
    expect(JSON.stringify(first!.messages.at(-1))).toContain('set_result is not there any more')
    expect(second!.messages.slice(0, first!.messages.length)).toEqual(first!.messages)
    expect(JSON.stringify(second!.messages.at(-1))).not.toContain('task_state')
  })

  it('is how its prompt is shown, but not while the task goes on', async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>()
    await using parley = await openTasks(openDatabase, () => [gate, ...submit()])
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work' })
    await parley.until(id, 'running')
    const names = async () => (await parley.sessions.prompt(id)).fragments.map(({ name }) => name)
    expect(await names()).not.toContain('task_state')
    resolve()
    await parley.until(id, 'completed')
    expect(await names()).toContain('task_state')
  })
})
