import { quote } from '../protocol/error.ts'

/**
 * Reads the URL of a page; a relative one starts from `base`. What comes back is used for the check and for the
 * request alike, so that nothing can mean one place to the one and another to the other.
 */
export function requireTarget(text: string, base?: URL): URL {
  // the parser would silently leave out tabs and line breaks
  if (hasControls(text)) throw new Error('The URL holds control characters. Give it without them.')
  const url = URL.parse(text, base?.href)
  if (url === null)
    throw new Error(`${quote(text)} is not a URL. Give it in full, such as https://example.com/page.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`Only http:// and https:// can be read, not ${quote(url.protocol)}.`)
  if (url.username !== '' || url.password !== '')
    throw new Error('The URL holds a user name or a password. Give it without them.')
  url.hash = ''
  // the same name, but not to those who compare: certificates, lists of hosts
  url.hostname = url.hostname.replace(/\.$/, '')
  return url
}

/** The host without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

// oxlint-disable-next-line no-control-regex
const hasControls = (text: string) => /[\u0000-\u001f\u007f]/.test(text)
