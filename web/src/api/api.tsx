import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, use, useMemo, useState, type ReactNode } from 'react'
import { createClient, ParleyError, type ParleyClient } from '../../../src/client/index.ts'
import { apiKey } from './key.ts'

interface Api {
  client: ParleyClient
  /** Takes another key, and asks everything again with it. */
  setKey(key: string): void
}

const ApiContext = createContext<Api | undefined>(undefined)

export function ApiProvider({ children }: { children: ReactNode }) {
  const [{ client, queries, number }, setConnection] = useState(() => connect(apiKey.get(), 1))
  const api = useMemo<Api>(
    () => ({
      client,
      setKey(next) {
        apiKey.set(next)
        setConnection((before) => connect(next, before.number + 1))
      },
    }),
    [client],
  )
  return (
    <ApiContext value={api}>
      {/* what was drawn before holds on to the queries of its time, so all of it is made again */}
      <QueryClientProvider key={number} client={queries}>
        {children}
      </QueryClientProvider>
    </ApiContext>
  )
}

export function useApi(): Api {
  const api = use(ApiContext)
  if (!api) throw new Error('useApi outside of ApiProvider')
  return api
}

export const useClient = (): ParleyClient => useApi().client

/** A new key is a new person: nothing that was asked with the one before is shown. */
const connect = (key: string | undefined, number: number) => ({
  number,
  client: createClient({ baseUrl: serverUrl(), apiKey: key }),
  queries: createQueries(),
})

/** Where the page came from, also behind a path prefix. */
const serverUrl = () => new URL('.', document.baseURI.replace(/#.*$/, '')).href.replace(/\/$/, '')

/** Errors that asking again does not mend. */
const isFinal = (error: unknown) => error instanceof ParleyError && error.code !== 'store_unavailable'

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // events of the server say when something has changed
        staleTime: 30_000,
        retry: (failures, error) => !isFinal(error) && failures < 20,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
      },
    },
  })
}
