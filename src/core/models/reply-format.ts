import type { ModelAdapter } from './adapter.ts'
import { ModelFault } from './fault.ts'

type Stream = ModelAdapter['stream']

/**
 * Asks for the format of a reply as long as the model takes it. A request that is refused with it is made once more
 * without; where that helps, the format is not requested again: no request fails because of it.
 */
export function tryReplyFormat(stream: Stream): Stream {
  let isRefused = false

  async function* streamWith(...[request, signal]: Parameters<Stream>) {
    let hasBegun = false
    try {
      for await (const event of stream(request, signal)) {
        hasBegun = true
        yield event
      }
      return
    } catch (error) {
      if (hasBegun || !isRefusal(error)) throw error
    }
    for await (const event of stream(withoutFormat(request), signal)) {
      isRefused = true
      yield event
    }
  }

  return (request, signal) => {
    if (!request.replyFormat) return stream(request, signal)
    return isRefused ? stream(withoutFormat(request), signal) : streamWith(request, signal)
  }
}

const withoutFormat = ({ replyFormat: _, ...request }: Parameters<Stream>[0]) => request

/** Without a status it was the SDK that could not express it; a redirect has nothing to do with it. */
const isRefusal = (error: unknown) =>
  error instanceof ModelFault && error.kind === 'bad-request' && (error.status ?? 400) >= 400
