// an answer up to this size is sent as one, with its length
const maxAtOnce = 65_536

/**
 * A text that comes in pieces, as the body of an answer. A long one is sent as it is made and as fast as the client
 * takes it; one that is short, or `isWhole`, is complete before this resolves, so that its failures can be answered.
 */
export async function sendPieces(
  pieces: AsyncGenerator<string>,
  isWhole = false,
): Promise<string | ReadableStream<Uint8Array>> {
  const first: string[] = []
  let size = 0
  while (isWhole || size <= maxAtOnce) {
    const { done, value } = await pieces.next()
    if (done) return first.join('')
    first.push(value)
    size += value.length
  }
  const encoder = new TextEncoder()
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first.join(''))),
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await pieces.return(undefined)),
  })
}
