/**
 * Text files that come with Parley, by their place in the package. A build has them in itself: `scripts/build.js` puts another
 * module in the place of this one, so a file of a new kind is named there too.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inPackage } from './package-folder.ts'

export interface PackageText {
  /** Its name in the folder. */
  file: string
  text: string
}

/** Of a folder, sorted by name. */
export const readPackageTexts = (folder: string): PackageText[] =>
  readdirSync(inPackage(folder))
    .sort()
    .map((file) => ({ file, text: readPackageText(join(folder, file)) }))

export const readPackageText = (path: string): string => readFileSync(inPackage(path), 'utf8')
