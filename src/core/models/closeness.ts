// what is further away has nothing to do with it
const minCloseness = 0.3

/** What has to do with a text, by vectors of the same model, in the order in which it was given. */
export const closeTo = (
  query: ArrayLike<number>,
  known: readonly { id: string; vector: ArrayLike<number> }[],
): { id: string; closeness: number }[] =>
  known
    .map(({ id, vector }) => ({ id, closeness: cosine(query, vector) }))
    .filter(({ closeness }) => closeness >= minCloseness)

/** Vectors of two lengths are of two models: nothing can be said of them. */
function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  if (one.length !== other.length) return 0
  let [dot, lengthOne, lengthOther] = [0, 0, 0]
  for (let index = 0; index < one.length; index++) {
    dot += one[index]! * other[index]!
    lengthOne += one[index]! ** 2
    lengthOther += other[index]! ** 2
  }
  return dot === 0 ? 0 : dot / Math.sqrt(lengthOne * lengthOther)
}
