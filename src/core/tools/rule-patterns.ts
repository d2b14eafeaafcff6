/** What the patterns of permission rules mean: for files, commands and addresses. None of them can take long to match. */
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { compileGlob, compileWord, findGlobFault, maxTextLength } from '../shared/glob.ts'
import { listCommands, type Listed } from './shell-commands.ts'
import type { Access } from './tool.ts'

export interface PatternContext {
  effect: Access['effect']
  /** The folder that relative patterns start from. */
  root?: string
  /** Whether the rule allows: then it has to fit without any doubt, otherwise a doubt is enough. */
  isAllowing: boolean
  /** The commands of a line; default: read from it each time. */
  list?: (line: string) => Listed
}

export function compilePattern(
  pattern: string,
  { effect, root, isAllowing, list = listCommands }: PatternContext,
): (resource: string) => boolean {
  if (effect === 'execute') return (command) => matchesCommand(pattern, command, isAllowing, list)
  // stored before such patterns were rejected: what it forbids stays forbidden
  if (findGlobFault(pattern) !== undefined) return () => !isAllowing
  if (effect === 'network') return (url) => matchesUrl(pattern, url, isAllowing)
  const absolute = toAbsolute(pattern, root)
  const matches = compileGlob(absolute)
  // everything in a folder includes the folder
  const matchesFolder = absolute.endsWith('/**') ? compileGlob(absolute.slice(0, -3)) : () => false
  // a path can be longer than any that is checked: what is forbidden must not begin there
  return (path) => (path.length > maxTextLength ? !isAllowing : matches(path) || matchesFolder(path))
}

/** Whether a pattern names one file, command or address and no other. */
export const isExact = (pattern: string): boolean => !/(^|[^\\])(\\\\)*[*?[{]/.test(pattern)

/** A path as a pattern that fits nothing but itself. */
export const escapePath = (path: string): string => path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')

/** The same for a command or an address. */
export const escapeWildcards = (text: string): string => text.replace(/[\\*]/g, '\\$&')

/**
 * A rule that allows must not let one command carry another along, so it fits a line of one command only, or the very same
 * line. Any other rule fits when one of the commands in the line does, however they are joined, and when the line has
 * more of them than anybody reads.
 */
function matchesCommand(
  pattern: string,
  line: string,
  isAllowing: boolean,
  list: (line: string) => Listed,
): boolean {
  const matches = compileWildcards(pattern)
  if (!isAllowing) {
    const { commands, isCut } = list(line)
    return isCut || matches(line) || commands.some(matches)
  }
  if (isExact(pattern)) return matches(line)
  return !/[;&|<>`$(){}\n\r\\]/.test(line) && matches(line)
}

/**
 * A pattern without a scheme is about the host: `example.com` and `*.example.com`. With one it is held against the parts
 * of the URL, each by itself: what stands in a query does not count for the host. Without a query of its own it leaves
 * that open, with a lone `?` it means none, and without a port it means the usual one.
 */
function matchesUrl(pattern: string, text: string, isAllowing: boolean): boolean {
  const url = URL.parse(text)
  if (!url) return false
  const [, scheme, host = '', port = '', path = '', query] =
    /^([a-z*]+):\/\/([^/?#:]*|\[[^\]]*\])(?::(\d+|\*))?([^?#]*)(\?.*)?$/i.exec(pattern) ?? []
  if (scheme === undefined) return !pattern.includes('/') && compileWord(pattern.toLowerCase())(url.hostname)
  const usual = { 'http:': '80', 'https:': '443' }[url.protocol]
  return (
    compileWord(scheme.toLowerCase())(url.protocol.slice(0, -1)) &&
    compileWord(host.toLowerCase())(url.hostname) &&
    (port === '*' || url.port === (port === usual ? '' : port)) &&
    (path === '' || matchesPath(path, url, isAllowing)) &&
    (query === undefined || compileWildcards(query === '?' ? '' : query)(url.search))
  )
}

/**
 * A server may read `%61dmin` as `admin` and `%2f` as a slash: what allows many paths has to fit all of these readings, and
 * for what forbids one is enough.
 */
function matchesPath(pattern: string, { href, pathname }: URL, isAllowing: boolean): boolean {
  const matches = compileWildcards(pattern)
  if (isAllowing && isExact(pattern)) return matches(pathname)
  const readings = [pathname, ...readingsOf(href, pathname)]
  return isAllowing ? readings.every(matches) : readings.some(matches)
}

function readingsOf(href: string, pathname: string): string[] {
  const read = new URL(href)
  try {
    read.pathname = decodeURIComponent(pathname)
  } catch {
    return [] // no text that anybody would read
  }
  return [read.pathname, read.pathname.replaceAll(/\/{2,}/g, '/')]
}

/**
 * `*` stands for anything, slashes included; a backslash before it, or before another backslash, takes that meaning away.
 * Matching takes no longer than the texts are long.
 */
function compileWildcards(pattern: string): (text: string) => boolean {
  const pieces = splitAtStars(pattern)
  const [first = ''] = pieces
  const last = pieces.at(-1)!
  if (pieces.length === 1) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
      return false
    let at = first.length
    const end = text.length - last.length
    for (const piece of pieces.slice(1, -1)) {
      const found = text.indexOf(piece, at)
      if (found === -1 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}

function splitAtStars(pattern: string): string[] {
  const pieces = ['']
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!
    const isEscape = character === '\\' && /[\\*]/.test(pattern[at + 1] ?? '')
    if (character === '*') pieces.push('')
    else pieces.push(pieces.pop()! + (isEscape ? pattern[++at]! : character))
  }
  return pieces
}

function toAbsolute(pattern: string, root: string | undefined): string {
  if (pattern.startsWith('~/')) return join(escapePath(homedir()), pattern.slice(2))
  // what is no file is named by kind and id: it lies in no folder
  if (isAbsolute(pattern) || /^(\*\*|[a-z_]+:)/.test(pattern)) return pattern
  return root === undefined ? pattern : `${escapePath(root)}/${pattern.replace(/^\.\//, '')}`
}
