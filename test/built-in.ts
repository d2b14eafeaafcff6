/** What the extensions that come with Parley have, in their order. */
import type { ReferenceWords } from '../src/core/context/references.ts'
import type { StoreSlice } from '../src/core/store/store-slice.ts'
import { loadBuiltIn } from '../src/extensions/built-in.ts'

const extensions = await loadBuiltIn()

export const builtInSlices: readonly StoreSlice[] = extensions.flatMap(({ store }) => store ?? [])

export const builtInReferences: ReferenceWords = Object.assign(
  {},
  ...extensions.map(({ references }) => references),
)
