/** `parley run`: what it reads, what it prints, and which session it is about. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processRunner, type Outcome } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { need } from './runner/provision.ts'

interface Sent {
  messages: {
    role: string
    content: string | { type: string; text?: string; image_url?: { url: string } }[]
  }[]
}

/** What a model gets to see of a line of a shell. */
async function shell(home: string, line: string, env: Record<string, string> = {}): Promise<Outcome> {
  const main = await need('program')
  const child = spawn('sh', ['-c', line.replaceAll('parley', `'${process.execPath}' '${main}'`)], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, PARLEY_DATA_DIR: join(home, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outcome: Outcome = { code: 0, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (outcome[name] += text))
  ;[outcome.code] = (await once(child, 'close')) as [number]
  return outcome
}

describe('standard input', () => {
  it('is what the prompt is about, as a file of its own', async () => {
    using folder = temporaryFolder()
    await using provider = await startProviderServer(openaiChat)
    const env = {
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OPENAI_API_KEY: 'sk-test-0123456789',
      PARLEY_MODEL: 'openai/m',
    }
    const lastOf = (index: number) => {
      const { messages } = JSON.parse(provider.requests[index]!.body.toString()) as Sent
      return JSON.stringify(messages.at(-1))
    }
    // what is piped is data: it refers to no files, and is no command
    writeFileSync(join(folder.path, 'log'), '/help\nerror 1\n@(file:log) </file>\n')
    expect(await shell(folder.path, 'cat log | parley run "sum up"', env)).toMatchObject({
      code: 0,
      stdout: 'ok\n',
    })
    expect(lastOf(0)).toContain('sum up')
    expect(lastOf(0)).toMatch(/<file name=\\"stdin\\">\\n\/help\\nerror 1\\n@\(file:log\)/)

    // a picture goes as one
    writeFileSync(
      join(folder.path, 'dot.png'),
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    )
    expect(await shell(folder.path, 'parley run "what is it?" < dot.png', env)).toMatchObject({ code: 0 })
    expect(lastOf(1)).toContain('data:image/png;base64,iVBOR')

    // nothing is nothing
    expect(await shell(folder.path, 'printf "\\n" | parley run "just this"', env)).toMatchObject({ code: 0 })
    expect(lastOf(2)).not.toContain('stdin')
  })

  it('is the prompt where there is none, or "-"', async () => {
    using folder = temporaryFolder()
    const { stdout } = await shell(folder.path, 'echo Hello | parley run')
    expect(stdout).toContain('You wrote: “Hello”')
    expect((await shell(folder.path, 'echo Hello | parley -p -')).stdout).toContain('“Hello”')
    expect(await shell(folder.path, 'parley run < /dev/null')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The prompt is empty'),
    })
    expect(await shell(folder.path, 'parley run "" --json < /dev/null')).toMatchObject({
      code: 2,
      stderr: '',
      stdout: expect.stringContaining('The prompt is empty'),
    })
  })

  it('is refused where no model can read it', async () => {
    using folder = temporaryFolder()
    for (const [input, message] of [
      ['head -c 100 /dev/zero', 'Standard input is neither text nor an image'],
      ['head -c 20000000 /dev/zero', 'more than 16777216 bytes'],
    ] as const) {
      const { code, stderr } = await shell(folder.path, `${input} | parley run "what is it?"`)
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
      expect(stderr).toMatch(/^parley: [^\n]+\n$/)
    }
    expect((await processRunner(folder.path)(['sessions', 'list'])).stdout).toBe('')
  })

  it('is not waited for where a program keeps it open and writes nothing', async () => {
    using folder = temporaryFolder()
    const child = spawn(process.execPath, [await need('program'), 'run', 'Hello'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, PARLEY_DATA_DIR: join(folder.path, 'data') },
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const [code] = (await once(child, 'close')) as [number]
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('nothing came on standard input'),
    })
  })
})

describe('the session of a run', () => {
  it('is a new one with instructions, the newest, or the one that is named', async () => {
    using folder = temporaryFolder()
    const parley = processRunner(folder.path)
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await parley(['run', ...args, '--output-format', 'json'])
      expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
      return (JSON.parse(stdout) as { session: string }).session
    }
    const first = await run('one', '--instructions', 'Be brief.')
    expect(JSON.parse((await parley(['sessions', 'show', first, '--json'])).stdout)).toMatchObject({
      instructions: 'Be brief.',
      messageCount: 2,
    })
    const second = await run('two')
    expect(second).not.toBe(first)
    // a task in the background is no conversation to continue
    await parley(['tasks', 'run', 'work'])
    expect(await run('three', '--continue')).toBe(second)
    expect(await run('four', '-s', first)).toBe(first)
    expect(await run('five', '-c')).toBe(first)
    for (const [flags, message] of [
      ['-c -s x', '--session or --continue'],
      ['-c --instructions x', '--instructions are for a new session'],
      ['--output-format xml', '--output-format'],
    ] as const)
      expect(await parley(['run', 'no', ...flags.split(' ')]), flags).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(message),
      })
  })

  it('is a new one where there is none to continue, and that is said', async () => {
    using folder = temporaryFolder()
    const { code, stderr } = await processRunner(folder.path)(['-c', '--print', 'Hello'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'there is no session to continue; this is a new one\n',
    })
  })
})

describe('the output of a run', () => {
  it.each([
    ['-p', 'Hello'],
    ['--print', 'Hello'],
    ['--model', 'demo/parley', '-p', 'Hello'],
    ['chat', '-p', 'Hello'],
  ])('is the answer alone: parley %s %s %s %s', async (...args) => {
    using folder = temporaryFolder()
    const outcome = await processRunner(folder.path)(args)
    expect(outcome).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('“Hello”') })
  })

  it('is each event on a line, with the session first and the result last', async () => {
    using folder = temporaryFolder()
    const parley = processRunner(folder.path)
    const { code, stdout, stderr } = await parley(['run', 'Hello', '--output-format', 'stream-json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; delta?: string })
    const types = lines.map(({ type }) => type)
    expect(lines[0]).toEqual({ type: 'session', session: expect.stringMatching(/^ses_/) })
    expect(types).toEqual(expect.arrayContaining(['start', 'text-delta', 'finish']))
    expect(lines.map(({ delta = '' }) => delta).join('')).toContain('“Hello”')
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      session: (lines[0] as unknown as { session: string }).session,
      run: { status: 'completed' },
      message: { role: 'assistant' },
    })
    const failed = await parley(['run', 'hi', '-m', 'nobody/x', '--output-format=stream-json'])
    expect(failed).toMatchObject({ code: 2, stderr: '' })
    const [first, last, ...more] = failed.stdout.trimEnd().split('\n')
    expect(JSON.parse(first!)).toMatchObject({ type: 'session' })
    expect(JSON.parse(last!)).toMatchObject({ type: 'failure', error: { code: 'invalid_request' } })
    expect(more).toEqual([])
  })

  it('needs a turn that ends with the program', async () => {
    using folder = temporaryFolder()
    expect(await processRunner(folder.path)(['chat', '--output-format', 'text'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output-format needs --print'),
    })
  })
})
