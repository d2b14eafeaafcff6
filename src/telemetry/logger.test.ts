import { describe, expect, it } from 'vitest'
import { createLogger } from './logger.ts'

function logged(write: (logger: ReturnType<typeof createLogger>) => void, secrets: string[] = []) {
  const lines: string[] = []
  write(
    createLogger({
      level: 'info',
      ids: () => ({ requestId: 'req_1', scope: 'default' }),
      secrets: () => secrets,
      write: (line) => void lines.push(line),
    }),
  )
  return lines
}

describe('a line of the log', () => {
  const hostile =
    'a\r\n{"level":60}\u001b[2J\u001b]0;x\u0007\u0000\u0085\u009b31m\u202egnp.exe\u2066\u2028\u200b\ufeff\u007f'

  it('is one line without anything that a terminal obeys, whatever is in its fields', () => {
    const lines = logged((logger) => {
      logger.info({ [hostile]: hostile, deep: { path: [hostile] }, err: new Error(hostile) }, hostile)
      logger.child({ name: hostile }).warn(hostile)
    })
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line.endsWith('\n')).toBe(true)
      // eslint-disable-next-line no-control-regex
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u2028\u202e\u2066\ufeff]/)
    }
    // and says the same all the same
    expect(JSON.parse(lines[0]!)).toMatchObject({
      [hostile]: hostile,
      msg: hostile,
      deep: { path: [hostile] },
    })
  })

  it('has the ids of what it belongs to, unless it names others', () => {
    const [one, two] = logged((logger) => {
      logger.info('hello')
      logger.info({ requestId: 'req_2' }, 'hello')
    })
    expect(JSON.parse(one!)).toMatchObject({ requestId: 'req_1', scope: 'default', msg: 'hello', level: 30 })
    expect(JSON.parse(two!)).toMatchObject({ requestId: 'req_2', scope: 'default' })
  })

  it('holds none of the secrets, whoever put them there', () => {
    const secret = 'sk-"quoted"\\\u00e9-0123456789'
    const cause = new Error(`the cause was ${secret}`)
    const [line] = logged(
      (logger) =>
        logger.error(
          { err: new Error(`bad ${secret}`, { cause }), url: `https://x/?key=${secret}`, [secret]: 1 },
          `no ${secret}`,
        ),
      [secret],
    )
    expect(JSON.parse(line!)).toMatchObject({ msg: 'no ••••', url: 'https://x/?key=••••' })
    expect(line).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(line).not.toContain('0123456789')
  })
})
