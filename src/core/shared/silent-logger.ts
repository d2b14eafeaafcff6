import type { Logger } from 'pino'

/** For programs that pass none: pino itself takes some 30 ms to load, and would write nothing either. */
export function createSilentLogger(): Logger {
  const write = () => {}
  const logger = {
    level: 'silent',
    isLevelEnabled: () => false,
    child: () => logger,
    bindings: () => ({}),
    flush: (done?: () => void) => done?.(),
    ...Object.fromEntries(
      ['silent', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, write]),
    ),
  }
  return logger as unknown as Logger
}
