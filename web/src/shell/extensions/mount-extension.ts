import type { ExtensionHost, ExtensionModule } from './host.ts'

interface Mounting {
  load(): Promise<unknown>
  element: HTMLElement
  host: ExtensionHost
  onMounted(): void
  onFailed(error: unknown): void
}

/** Loads a module and mounts it; what is returned takes it away, also while it is loaded. */
export function mountExtension({ load, element, host, onMounted, onFailed }: Mounting): () => void {
  let isWanted = true
  let unmount: (() => void) | void
  const mount = async () => {
    const { mount: mountModule } = (await load()) as Partial<ExtensionModule>
    if (!isWanted) return
    if (typeof mountModule !== 'function') throw new Error('The module has no export "mount".')
    unmount = mountModule(element, host)
    onMounted()
  }
  mount().catch((error: unknown) => {
    if (isWanted) onFailed(error)
  })
  return () => {
    isWanted = false
    unmount?.()
    element.replaceChildren()
  }
}
