import { restoreBackup as restore, type Restored, type RestoreOptions } from '../src/backup/restore-backup.ts'
import { builtInSlices } from './built-in.ts'

/** As the command does it. */
export const restoreBackup = (options: RestoreOptions): Promise<Restored> =>
  restore({ ...options, slices: builtInSlices })
