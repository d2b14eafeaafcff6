import { CSPProvider } from '@base-ui/react/csp-provider'
import { CatchBoundary, RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiProvider } from '../api/api.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'
import type { WebFeature } from './define-web.ts'
import { ErrorPage } from './error-page.tsx'
import { FeaturesProvider } from './features-context.tsx'
import { createAppRouter } from './routes.tsx'
import { Shell } from './shell.tsx'
import { localeOf, useLanguage } from './texts.ts'

interface Props {
  /** Read once. */
  features: readonly WebFeature[]
}

export function App({ features }: Props) {
  const [router] = useState(() => createAppRouter(features, Shell))
  const language = useLanguage()
  useEffect(() => {
    document.documentElement.lang = localeOf(language)
  }, [language])
  return (
    // the page's policy allows no style elements that are made while it runs
    <CSPProvider disableStyleElements>
      <CatchBoundary getResetKey={() => router} errorComponent={ErrorPage}>
        <FeaturesProvider features={features}>
          <ApiProvider>
            <TooltipProvider>
              <ToastProvider>
                <RouterProvider router={router} />
              </ToastProvider>
            </TooltipProvider>
          </ApiProvider>
        </FeaturesProvider>
      </CatchBoundary>
    </CSPProvider>
  )
}
