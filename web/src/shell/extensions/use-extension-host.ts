import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useTheme } from '../../ui/use-theme.ts'
import { localeOf, useLanguage } from '../texts.ts'
import { useGoTo } from '../use-go-to.ts'
import type { ExtensionHost } from './host.ts'

/** One host as long as the page is open; what it tells changes with the workbench. */
export function useExtensionHost(extension: string): ExtensionHost {
  const client = useClient()
  const scope = useScope()
  const goTo = useGoTo()
  const navigate = useNavigate()
  const { _splat: path = '' } = useParams({ strict: false })
  const locale = localeOf(useLanguage())
  const theme = useTheme()
  const now = useMemo(
    () => ({ client, scope, goTo, navigate, path, locale, theme }),
    [client, scope, goTo, navigate, path, locale, theme],
  )
  const latest = useRef(now)
  const [listeners] = useState(() => new Set<() => void>())
  useEffect(() => {
    if (latest.current === now) return
    latest.current = now
    listeners.forEach((listener) => listener())
  }, [now, listeners])
  return useMemo(
    () => ({
      get client() {
        return latest.current.client
      },
      get scope() {
        return latest.current.scope
      },
      get locale() {
        return latest.current.locale
      },
      get theme() {
        return latest.current.theme
      },
      navigation: {
        get path() {
          return latest.current.path
        },
        goTo: (to) => latest.current.goTo(`/x/${extension}/${to.replace(/^\//, '')}`),
        open: (to) => latest.current.goTo(to),
      },
      subscribe(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }),
    [extension, listeners],
  )
}
