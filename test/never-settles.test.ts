import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const program = join(import.meta.dirname, 'never-settles-program.ts')

/** What came of each function that never comes back. Throws when the program ends with another code than 0. */
async function runProgram(): Promise<Map<string, unknown>> {
  const { stdout } = await run(process.execPath, ['--no-warnings', program])
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, unknown]),
  )
}

const late = 'no answer within 200 ms'

describe('a program whose function never comes back goes on after the stated time', () => {
  let outcomes: Map<string, unknown>
  beforeAll(async () => {
    outcomes = await runProgram()
  })

  it.each([
    ['policyHandler', `cut without handlers and memo: The policy handler failed: ${late}`],
    ['resizeHandler', `cut without handlers and memo: The resize handler "lite" failed: ${late}`],
    ['attachmentSummaryHandler', `the memo was not updated: The attachment summary handler failed: ${late}`],
    ['memoUpdateHandler', `the memo was not updated: The memo update handler failed: ${late}`],
    ['memoModel', `the memo was not updated: ${late}`],
  ])('%s: the window is cut without it', (name, message) => {
    const { text, resizes } = outcomes.get(name) as { text: string; resizes: string[] }
    expect(text).toBe('ok')
    expect(resizes.at(-1)).toBe(message)
  })

  it('tool: the model is told', () => {
    expect(outcomes.get('tool')).toEqual({ text: 'done', outcome: 'The tool took longer than 200 ms.' })
  })

  it('onAsk: no answer is a no', () => {
    expect(outcomes.get('onAsk')).toEqual({
      text: 'done',
      outcome: expect.stringMatching(/^Not allowed: .* There was no answer within 200 ms\.$/),
    })
  })

  it('hook: counts as failed', () => {
    expect(outcomes.get('hook')).toEqual({
      outcome: expect.stringContaining('It took longer than 200 ms.'),
    })
  })

  it('record handler: the request fails, and leaves nothing', () => {
    expect(outcomes.get('recordHandler')).toEqual({
      failure: 'The record handler gave no answer within 200 ms.',
      text: 'ok',
      messages: 2,
    })
  })

  it('model: the request fails', () => {
    expect(outcomes.get('model')).toEqual({ failure: 'own/test sent nothing for 200 ms.', text: 'ok' })
  })
})
