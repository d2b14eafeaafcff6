import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file or folder that comes with Parley, wherever the code that asks runs from: its sources or its build. */
export const inPackage = (...path: string[]): string => join(packageFolder(), ...path)

function packageFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
