import { expect, it, vi } from 'vitest'
import type { ExtensionHost } from './host.ts'
import { mountExtension } from './mount-extension.ts'

const host = {} as ExtensionHost
const begin = (load: () => Promise<unknown>) => {
  const element = { replaceChildren: vi.fn<() => void>() } as unknown as HTMLElement
  const onMounted = vi.fn<() => void>()
  const onFailed = vi.fn<(error: unknown) => void>()
  const unmount = mountExtension({ load, element, host, onMounted, onFailed })
  return { element, onMounted, onFailed, unmount }
}

it('mounts a module with the host, and takes it away', async () => {
  const leave = vi.fn<() => void>()
  const mount = vi.fn<(...args: unknown[]) => () => void>(() => leave)
  const { element, onMounted, unmount } = begin(async () => ({ mount }))
  await vi.waitFor(() => expect(onMounted).toHaveBeenCalled())
  expect(mount).toHaveBeenCalledWith(element, host)
  unmount()
  expect(leave).toHaveBeenCalledOnce()
  expect(element.replaceChildren).toHaveBeenCalledOnce()
})

it('mounts nothing that comes after the page was left', async () => {
  const mount = vi.fn<() => void>()
  const loaded = Promise.withResolvers<unknown>()
  const { unmount, onMounted } = begin(() => loaded.promise)
  unmount()
  loaded.resolve({ mount })
  await loaded.promise
  await Promise.resolve()
  expect([mount.mock.calls.length, onMounted.mock.calls.length]).toEqual([0, 0])
})

it.each([
  ['cannot be loaded', () => Promise.reject(new Error('404')), '404'],
  ['mounts nothing', async () => ({}), 'mount'],
  [
    'fails as it is mounted',
    async () => ({
      mount() {
        throw new Error('no canvas')
      },
    }),
    'no canvas',
  ],
])('reports a module that %s', async (_, load, message) => {
  const { onFailed } = begin(load)
  await vi.waitFor(() => expect(String(onFailed.mock.calls[0]?.[0])).toContain(message))
})
