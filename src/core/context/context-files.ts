import type { Places } from './context-places.ts'
import type { Traces } from './file-reader.ts'

/** What was read of one kind of files. */
export interface FileSet {
  /** Changes when what was read does. */
  hash: string
  traces: Traces
}

/** A kind of files that is read and watched beside rules, skills and commands. */
export interface ContextFiles<Read extends FileSet = FileSet> {
  /** Those of a scope with a folder. */
  read(places: Places): Promise<Read>
  /** Where there is no folder of a scope: those of the user. */
  readOfUser(userDir: string | undefined): Promise<Read>
}
