import type { ModelAdapter } from '../../src/core/models/adapter.ts'

/** Holds a model back and lets it go on by so many words at a time, so that pictures can be taken in between. */
export interface Pace {
  slow(model: ModelAdapter): ModelAdapter
  /** From now on it says only what it is let. */
  hold(): void
  /** Those who wait longest go on first: several answers come side by side. */
  letGo(words: number): void
}

export function createPace(): Pace {
  let allowed = Infinity
  const waiting: (() => void)[] = []
  const pass = async () => {
    if (allowed > 0) allowed--
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return {
    slow: (model) => ({
      ...model,
      async *stream(request, signal) {
        for await (const event of model.stream(request, signal)) {
          await pass()
          yield event
        }
      },
    }),
    hold() {
      allowed = 0
    },
    letGo(words) {
      for (let left = words; left > 0; left--) {
        const next = waiting.shift()
        if (next) next()
        else allowed++
      }
    },
  }
}
