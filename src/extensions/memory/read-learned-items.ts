import { z } from 'zod'

/** Something that a model found worth keeping, and the passage that proves it. */
export interface Item {
  text: string
  evidence: string
}

// one memory is one thing, not a retelling
const maxText = 500
const maxEvidence = 500

const itemSchema = z.object({
  text: z.string().trim().min(1).max(maxText),
  evidence: z.string().trim().min(1).max(maxEvidence),
})
const foresightSchema = itemSchema.extend({
  from: z.string().trim().max(40).nullish(),
  until: z.string().trim().max(40).nullish(),
})

/** The first so many that are as they should be; others are left out, and spoil nothing. */
export const readItems = (value: unknown, max: number): Item[] => read(itemSchema, value, max)

/** With the time they are about in their text. */
export const readForesights = (value: unknown, max: number): Item[] =>
  read(foresightSchema, value, max).map(({ text, evidence, from, until }) => {
    const range = [from, until].filter(Boolean).join(' – ')
    return { text: range === '' || text.includes(range) ? text : `${text} (${range})`, evidence }
  })

function read<T>(schema: z.ZodType<T>, value: unknown, max: number): T[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry) => schema.safeParse(entry).data ?? []).slice(0, max)
}
