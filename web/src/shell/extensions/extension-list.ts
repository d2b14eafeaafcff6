import { useQuery } from '@tanstack/react-query'
import { apiKey } from '../../api/key.ts'
import { languages, type Name } from '../texts.ts'

/** A page that an extension of the server adds to the workbench. */
export interface ExtensionPage {
  /** It is shown at `/x/<name>`. */
  name: string
  title: Name
  /** Where its module is, or for one that is not trusted its document: a path on this server. */
  source: string
  /** Trusted: its module runs in this page, as the workbench does. */
  isTrusted: boolean
}

/**
 * The pages of extensions. The server marks the document when it has some, so that nobody else pays for a request; a page
 * of one asks in any case.
 */
export function useExtensionPages({ isNeeded = false } = {}) {
  return useQuery({
    queryKey: ['extensions'],
    queryFn: fetchPages,
    enabled: isNeeded || document.querySelector('meta[name="parley-extensions"]') !== null,
    staleTime: Infinity,
  })
}

async function fetchPages(): Promise<readonly ExtensionPage[]> {
  const key = apiKey.get()
  const response = await fetch('api/extensions', key ? { headers: { authorization: `Bearer ${key}` } } : {})
  // a server that knows no extensions
  if (response.status === 404) return []
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return readPages(await response.json())
}

/** Of `{ items: [{ name, page: { title, source, isTrusted } }] }`; what has no page here, or none on this server, is left out. */
export function readPages(answer: unknown): readonly ExtensionPage[] {
  const { items } = isRecord(answer) ? answer : {}
  return (Array.isArray(items) ? items : []).flatMap((item: unknown) => {
    const { name, page } = isRecord(item) ? item : {}
    const { title, source, isTrusted } = isRecord(page) ? page : {}
    if (typeof name !== 'string' || typeof source !== 'string' || !isOwnPath(source)) return []
    return { name, title: readTitle(title, name), source, isTrusted: isTrusted === true }
  })
}

/** Relative, since the page may be behind a path prefix; nothing leads from there to another server. */
const isOwnPath = (source: string) => /^[\w.-]+(\/[\w.-]+)*$/.test(source) && !source.includes('..')

/** One title, or one for each language. */
const readTitle = (title: unknown, name: string): Name => {
  const of = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const byLanguage = isRecord(title) ? title : {}
  const any = of(title) ?? of(byLanguage.en) ?? name
  return Object.fromEntries(
    languages.map((language) => [language, of(byLanguage[language]) ?? any]),
  ) as Record<(typeof languages)[number], string>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
