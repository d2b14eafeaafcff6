import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file or folder that comes with Parley, wherever the code that asks runs from: its sources, its build or a bundle. */
export function inPackage(...path: string[]): string {
  const folder = findPackageFolder()
  if (folder === undefined)
    throw new Error(
      `${join(...path)} of the package "parley" is needed and was not found: neither is ${import.meta.dirname} inside of the package, nor is it installed there. Run "npm install parley" beside the program.`,
    )
  return join(folder, ...path)
}

/** Undefined in a bundle that runs where the package is not installed. */
export function findPackageFolder(): string | undefined {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (isParley(folder)) return folder
    if (folder === dirname(folder)) return findInstalled()
  }
}

function isParley(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }
    return name === 'parley'
  } catch {
    return false // there is none, or one that is no business of ours
  }
}

function findInstalled(): string | undefined {
  try {
    return dirname(fileURLToPath(import.meta.resolve('parley/package.json')))
  } catch {
    return undefined
  }
}
