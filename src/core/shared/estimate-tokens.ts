import { estimateTokenCount } from 'tokenx'

// more is estimated from samples: to split all of a long text into words takes longer than others can wait
const sampledFrom = 100_000
const sampleLength = 10_000
const samples = 5

/** About how many tokens a text has. Depends on the text alone, so that it is the same at every turn. */
export function estimateTokens(text: string): number {
  if (text.length <= sampledFrom) return estimateTokenCount(text)
  const step = Math.floor((text.length - sampleLength) / (samples - 1))
  let tokens = 0
  for (let index = 0; index < samples; index++)
    tokens += estimateTokenCount(text.slice(index * step, index * step + sampleLength))
  return Math.ceil((tokens * text.length) / (samples * sampleLength))
}
