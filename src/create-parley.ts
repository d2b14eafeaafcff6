import type { CallsOf, Extension } from './core/extension.ts'
import type { Parley, ParleyOptions } from './parley.ts'

/** Loads the rest with the first Parley: programs that import the package for something else do not wait for it. */
export async function createParley<const Extensions extends readonly Extension[] = []>(
  options: ParleyOptions<Extensions>,
): Promise<Parley & CallsOf<Extensions>> {
  const parley = await import('./parley.ts')
  return parley.createParley(options)
}
