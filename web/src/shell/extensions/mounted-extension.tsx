import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/states.tsx'
import { appTexts } from '../shell-texts.ts'
import { useName, useTexts } from '../texts.ts'
import type { ExtensionPage } from './extension-list.ts'
import { mountExtension } from './mount-extension.ts'
import { useExtensionHost } from './use-extension-host.ts'

/** The page of a trusted extension: its module draws into an element of ours, with whatever it likes. */
export function MountedExtension({ page: { name, title, source } }: { page: ExtensionPage }) {
  const t = useTexts(appTexts)
  const nameOf = useName()
  const host = useExtensionHost(name)
  const element = useRef<HTMLDivElement>(null)
  // a module that failed is loaded again only from another address
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<{ isMounted?: true; error?: unknown }>({})
  useEffect(() => {
    const url = new URL(source, document.baseURI)
    if (attempt > 0) url.searchParams.set('attempt', String(attempt))
    return mountExtension({
      load: () => import(/* @vite-ignore */ url.href),
      element: element.current!,
      host,
      onMounted: () => setState({ isMounted: true }),
      onFailed: (error) => setState({ error }),
    })
  }, [source, attempt, host])
  return (
    <>
      {state.error !== undefined && (
        <div role="alert" className="flex flex-col items-start gap-3 p-4">
          <p>{t.extensionFailed(nameOf(title))}</p>
          <code className="max-w-full rounded-md bg-surface px-3 py-2 text-sm break-words whitespace-pre-wrap">
            <bdi>{state.error instanceof Error ? state.error.message : String(state.error)}</bdi>
          </code>
          <Button
            onClick={() => {
              setState({})
              setAttempt(attempt + 1)
            }}
          >
            {t.retry}
          </Button>
        </div>
      )}
      {state.error === undefined && !state.isMounted && <Loading />}
      <div ref={element} data-extension={name} className="h-full" />
    </>
  )
}
