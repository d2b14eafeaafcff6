import { readPackageText } from './core/shared/package-texts.ts'

export function readVersion(): string {
  return (JSON.parse(readPackageText('package.json')) as { version: string }).version
}
