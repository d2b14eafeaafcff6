import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The clone: the folder that holds package.json. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
