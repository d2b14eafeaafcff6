/** One measured claim. `run` measures everything it compares in the same run, since machines differ and drift. */
export interface Bench {
  name: string
  /** Takes minutes: runs only when it is named. */
  isLong?: boolean
  run(options: BenchOptions): Promise<Figure[]>
}

export interface BenchOptions {
  /** Turns of a round, or of the whole benchmark, instead of as many as its figures need. */
  turns?: number
}

export interface Figure {
  what: string
  value: number
  unit: string
  /** What the design asks for; `min` and `max` are bounds of `value`. */
  goal?: { min?: number; max?: number }
}

export const isMet = ({ value, goal }: Figure): boolean | undefined =>
  goal && (goal.min === undefined || value >= goal.min) && (goal.max === undefined || value <= goal.max)

/** Runs both sides in turns, so that a slow moment of the machine meets both; answers operations per second. */
export async function compare(
  sides: Record<string, (index: number) => unknown>,
  { rounds, perRound }: { rounds: number; perRound: number },
): Promise<Record<string, number>> {
  const times = new Map<string, number[]>(Object.keys(sides).map((name) => [name, []]))
  for (let round = -1; round < rounds; round++)
    for (const [name, work] of Object.entries(sides)) {
      const start = performance.now()
      for (let index = 0; index < perRound; index++) await work((round + 1) * perRound + index)
      // the first round only warms up
      if (round >= 0) times.get(name)!.push((performance.now() - start) / perRound)
    }
  return Object.fromEntries([...times].map(([name, list]) => [name, 1_000 / median(list)]))
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
