import type { PaletteSource } from './define-web.ts'
import { textsReady } from './texts.ts'

const loaded = new WeakMap<PaletteSource, ReturnType<PaletteSource['load']>>()

/** What a feature offers in the palette; loaded once. */
export function loadSource(source: PaletteSource): ReturnType<PaletteSource['load']> {
  const known = loaded.get(source) ?? load(source)
  loaded.set(source, known)
  return known
}

async function load(source: PaletteSource) {
  const useItems = await source.load()
  await textsReady()
  return useItems
}
