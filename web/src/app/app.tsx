import { CSPProvider } from '@base-ui/react/csp-provider'
import { CatchBoundary, RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiProvider } from '../api/api.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { ErrorPage } from './error-page.tsx'
import { createAppRouter } from './routes.tsx'
import { localeOf, useLanguage } from './texts.ts'

export function App() {
  const [router] = useState(createAppRouter)
  const language = useLanguage()
  useEffect(() => {
    document.documentElement.lang = localeOf(language)
  }, [language])
  return (
    // the page's policy allows no style elements that are made while it runs
    <CSPProvider disableStyleElements>
      <CatchBoundary getResetKey={() => router} errorComponent={ErrorPage}>
        <ApiProvider>
          <TooltipProvider>
            <ToastProvider>
              <RouterProvider router={router} />
            </ToastProvider>
          </TooltipProvider>
        </ApiProvider>
      </CatchBoundary>
    </CSPProvider>
  )
}
