import type { ModelRequest } from './adapter.ts'
import { ModelFault } from './fault.ts'

type Stream<Item> = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<Item>

/**
 * Asks for the format of a reply as long as the model takes it. A request that is refused with it is made once more
 * without; where that helps, the format is not requested again: no request fails because of it.
 */
export function tryReplyFormat<Item>(stream: Stream<Item>): Stream<Item> {
  let isRefused = false

  async function* streamWith(...[request, signal]: Parameters<Stream<Item>>) {
    let hasBegun = false
    try {
      for await (const item of stream(request, signal)) {
        hasBegun = true
        yield item
      }
      return
    } catch (error) {
      if (hasBegun || !isRefusal(error)) throw error
    }
    for await (const item of stream(withoutFormat(request), signal)) {
      isRefused = true
      yield item
    }
  }

  return (request, signal) => {
    if (!request.replyFormat) return stream(request, signal)
    return isRefused ? stream(withoutFormat(request), signal) : streamWith(request, signal)
  }
}

const withoutFormat = ({ replyFormat: _, ...request }: ModelRequest) => request

/** Without a status it was the SDK that could not express it; a redirect has nothing to do with it. */
const isRefusal = (error: unknown) =>
  error instanceof ModelFault && error.kind === 'bad-request' && (error.status ?? 400) >= 400
