/** Numbers from 0 up to 1 that look like chance and are the same for the same seeds (mulberry32). */
export function chanceOf(...seeds: readonly number[]): () => number {
  let state = seeds.reduce((mixed, seed) => scatter(mixed ^ (seed >>> 0)), 0)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    return scatter(state) / 2 ** 32
  }
}

/** Fisher and Yates. */
export function shuffled<Item>(items: readonly Item[], chance: () => number): Item[] {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(chance() * (last + 1))
    const moved = mixed[last]!
    mixed[last] = mixed[other]!
    mixed[other] = moved
  }
  return mixed
}

function scatter(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return (mixed ^ (mixed >>> 14)) >>> 0
}
