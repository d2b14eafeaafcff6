import type { CommandGroup } from './command-line/command-group.ts'
import type { Extension } from './extension.ts'
import type { Facets } from './protocol/facets.ts'
import type { SettingsTable } from './settings/setting.ts'
import type { SettingsSlice } from './settings/settings-slice.ts'

/**
 * What an extension that comes with Parley says of itself before it is loaded: what the command line lists, reads and checks
 * at each start. What runs is in its `extension.ts`.
 */
export interface Manifest {
  /** That of the extension, and of its folder. */
  readonly name: string
  readonly settings?: Pick<SettingsSlice<SettingsTable, object, never>, 'table' | 'listedAfter'>
  /** Words after `parley` on the command line. */
  readonly commands?: readonly CommandGroup[]
  /** What it adds to what crosses the wire and to prompts: that of its slice. */
  readonly facets?: Facets
  load(): Promise<Extension>
}

/** Checks nothing and changes nothing: it is there for its types. */
export const defineManifest = <const One extends Manifest>(manifest: One): One => manifest
