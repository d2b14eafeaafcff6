import type { PaletteSource } from './define-web.ts'

const loaded = new WeakMap<PaletteSource, ReturnType<PaletteSource['load']>>()

/** What a feature offers in the palette; loaded once. */
export function loadSource(source: PaletteSource): ReturnType<PaletteSource['load']> {
  const known = loaded.get(source) ?? source.load()
  loaded.set(source, known)
  return known
}
