import { mkdirSync } from 'node:fs'
import { invalidRequest } from '../protocol/error.ts'

/** Makes the data folder, for its owner alone, where it is not there yet. */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw invalidRequest(
      `The data folder ${dataDir} cannot be created (${code}). Make the folder above it writable, or set PARLEY_DATA_DIR.`,
      { dataDir },
    )
  }
}
