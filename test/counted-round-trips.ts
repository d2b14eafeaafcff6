import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface CountedDatabase extends AsyncDisposable {
  url: string
  /** What was sent since the last `reset`: the statements that one answer was waited for together. */
  roundTrips: string[][]
  reset(): void
}

/** For tests: passes bytes on to a PostgreSQL, and reads what is sent there and when an answer was complete. */
export async function countRoundTrips(database: string): Promise<CountedDatabase> {
  const target = new URL(database)
  const open = new Set<Socket>()
  const roundTrips: string[][] = []
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const trips = readTrips((statements) => roundTrips.push(statements))
    for (const [socket, other, read] of [
      [client, upstream, trips.sent],
      [upstream, client, trips.answered],
    ] as const) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('data', (bytes: Buffer) => {
        read(bytes)
        other.write(bytes)
      })
      socket.on('error', () => other.destroy())
      socket.on('close', () => (other.destroy(), open.delete(socket)))
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(database)
  url.port = String((proxy.address() as AddressInfo).port)
  return {
    url: url.href,
    roundTrips,
    reset: () => void (roundTrips.length = 0),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

/** A round trip begins with the first bytes that are sent after all before were answered. */
function readTrips(began: (statements: string[]) => void) {
  const prepared = new Map<string, string>()
  let current: string[] | undefined
  return {
    // what is sent first has no type; it is over when the database is ready for the first statement
    sent: readMessages(true, (type, body) => {
      if (type === 'p' || type === 'X') return
      if (!current) began((current = []))
      const strings = (count: number) => body.toString('utf8').split('\0', count)
      if (type === 'Q') current.push(toLine(strings(1)[0]!))
      if (type === 'P') {
        const [name, text] = strings(2)
        prepared.set(name!, toLine(text!))
      }
      if (type === 'B') current.push(prepared.get(strings(2)[1]!) ?? '?')
    }),
    answered: readMessages(false, (type) => {
      if (type === 'Z') current = undefined
    }),
  }
}

function readMessages(beginsWithoutType: boolean, read: (type: string, body: Buffer) => void) {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = beginsWithoutType ? 0 : 1
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return
      if (typeBytes === 1) read(String.fromCharCode(rest[0]!), rest.subarray(5, end))
      rest = rest.subarray(end)
      typeBytes = 1
    }
  }
}

const toLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
