import { pino, type Logger } from 'pino'
import { createSecretMask } from '../core/shared/secret-mask.ts'
import { escapeJson } from '../core/shared/visible.ts'

export interface LogOptions {
  level: string
  /** Fields of every line. */
  ids?(): object
  /** Secrets to mask in every line, as in `createSecretMask`; called for each line. */
  secrets?(): readonly string[]
  /** Default: stderr, synchronously. */
  write?(line: string): void
}

/**
 * One JSON object per line. The last place where a secret could get out: what is known to be one is replaced, and nothing
 * in a line moves a terminal's cursor or turns its text around.
 */
export function createLogger({ level, ids, secrets = () => [], write = toStderr() }: LogOptions): Logger {
  const mask = followSecrets(secrets)
  return pino({ level, base: undefined, mixin: ids }, { write: (line) => write(escapeJson(mask(line))) })
}

/** Keys are added while the server runs; between two such moments one mask does for all lines. */
function followSecrets(secrets: () => readonly string[]): (line: string) => string {
  let known: readonly string[] = []
  let mask = createSecretMask(known)
  return (line) => {
    const now = secrets()
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index]))
      mask = createSecretMask((known = [...now]))
    return mask(line)
  }
}

function toStderr(): (line: string) => void {
  const stderr = pino.destination({ dest: 2, sync: true })
  return (line) => void stderr.write(line)
}
