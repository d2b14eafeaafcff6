import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { StrictMode, type ReactNode } from 'react'
import { vi } from 'vitest'
import { ApiProvider } from '../src/api/api.tsx'
import { Announcer } from '../src/ui/announcer.tsx'

/** A request as it would leave the page. */
export interface Sent {
  path: string
  headers: Headers
  body?: string
}

/** Draws something where it has a client, a URL and a voice. `answer` stands for the network. */
export function renderInApp(
  children: ReactNode,
  answer: (sent: Sent) => Response = () => Response.json({ items: [], nextCursor: null }),
) {
  vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) =>
    answer({
      path: new URL(String(input)).pathname,
      headers: new Headers(init.headers),
      ...(typeof init.body === 'string' && { body: init.body }),
    }),
  )
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <Announcer>{children}</Announcer> }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  return render(
    <StrictMode>
      <ApiProvider>
        <RouterProvider router={router as never} />
      </ApiProvider>
    </StrictMode>,
  )
}
