import { pino, type Logger } from 'pino'

export interface LogOptions {
  level: string
  /** What every line says besides its own. */
  ids?(): object
  /** Texts that must not be in a line, whoever put them there; asked for each line. */
  secrets?(): readonly string[]
  /** Default: to stderr, at once. */
  write?(line: string): void
}

/**
 * One JSON object per line. The last place where a secret could get out: what is known to be one is replaced, and nothing
 * in a line moves a terminal's cursor or turns its text around.
 */
export function createLogger({ level, ids, secrets = () => [], write = toStderr() }: LogOptions): Logger {
  return pino({ level, base: undefined, mixin: ids }, { write: (line) => write(clean(line, secrets())) })
}

function toStderr(): (line: string) => void {
  const stderr = pino.destination({ dest: 2, sync: true })
  return (line) => void stderr.write(line)
}

function clean(line: string, secrets: readonly string[]): string {
  let text = line
  for (const secret of secrets) {
    // as it stands in JSON
    const written = JSON.stringify(secret).slice(1, -1)
    if (text.includes(written)) text = text.replaceAll(written, '••••')
  }
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

// what JSON lets stand: C1 controls, marks without width, and what changes the direction of text
const unprintable = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
