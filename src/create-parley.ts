import type { CallsOf, Extension } from './core/extension.ts'
import type { Parley, ParleyOptions } from './parley.ts'

/** Loads what a Parley is made of with the first one: whoever imports the package for something else does not wait for it. */
export async function createParley<const Extensions extends readonly Extension[] = []>(
  options: ParleyOptions<Extensions>,
): Promise<Parley & CallsOf<Extensions>> {
  const parley = await import('./parley.ts')
  return parley.createParley(options)
}
