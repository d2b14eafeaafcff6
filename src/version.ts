import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** From package.json, one folder up from the sources as from the build. */
export function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
