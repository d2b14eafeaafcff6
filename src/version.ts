import { readFileSync } from 'node:fs'
import { inPackage } from './core/shared/package-folder.ts'

export function readVersion(): string {
  const text = readFileSync(inPackage('package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
