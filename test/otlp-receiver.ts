import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'

export interface SeenSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  /** 2 is an error. */
  status: number
}

export interface OtlpReceiver extends AsyncDisposable {
  url: string
  /** Every request, as it came. */
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[]
  spans(): SeenSpan[]
  resource(): Record<string, unknown>
  /** Waits until there are as many spans of this name as asked for. */
  find(name: string, count?: number): Promise<SeenSpan[]>
}

type Value = {
  stringValue?: string
  intValue?: number
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: Value[] }
}
interface Body {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] }
    scopeSpans: {
      spans: (Omit<SeenSpan, 'attributes' | 'status'> & {
        attributes: { key: string; value: Value }[]
        status: { code: number }
      })[]
    }[]
  }[]
}

/** A collector: takes OTLP over HTTP as JSON. */
export async function startOtlpReceiver(status = 200): Promise<OtlpReceiver> {
  const requests: OtlpReceiver['requests'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      requests.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bodies = () => requests.map(({ body }) => JSON.parse(body) as Body)
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      bodies()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map(({ name, kind, traceId, spanId, parentSpanId, attributes, status: { code } }) => ({
          name,
          kind,
          traceId,
          spanId,
          parentSpanId: parentSpanId || undefined,
          attributes: toFields(attributes),
          status: code,
        })),
    resource: () => toFields(bodies()[0]!.resourceSpans[0]!.resource.attributes),
    async find(name, count = 1) {
      const found = () => receiver.spans().filter((span) => span.name === name)
      await expect.poll(() => found().length, { message: `spans "${name}"` }).toBeGreaterThanOrEqual(count)
      return found()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

const toFields = (attributes: { key: string; value: Value }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]))

const toValue = (value: Value): unknown =>
  value.arrayValue
    ? value.arrayValue.values.map(toValue)
    : (value.stringValue ??
      value.boolValue ??
      (value.intValue === undefined ? value.doubleValue : Number(value.intValue)))
