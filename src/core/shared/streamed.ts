/** Something that can be watched while it happens (`for await`), or awaited as a whole; nothing begins before that. */
export interface Streamed<Event, Answer> extends AsyncIterable<Event>, PromiseLike<Answer> {}

export function createStreamed<Event, Answer>(source: {
  events(): AsyncGenerator<Event[]>
  answer(): Promise<Answer>
}): Streamed<Event, Answer> {
  let answer: Promise<Answer> | undefined
  return {
    async *[Symbol.asyncIterator]() {
      for await (const batch of source.events()) yield* batch
    },
    // oxlint-disable-next-line unicorn/no-thenable -- being awaitable is what it is for
    then: (onAnswer, onError) => (answer ??= source.answer()).then(onAnswer, onError),
  }
}
