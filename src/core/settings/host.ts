import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * Whether a server on this address can be reached from this machine only: 127.0.0.0/8, ::1, `localhost`.
 * Only what is loopback without asking anybody counts: `localhost.` (with a dot) and `127.1` go to the
 * resolver, so they do not.
 */
export function isLoopbackHost(host: string): boolean {
  const bare = withoutBrackets(host).toLowerCase()
  if (bare === 'localhost') return true
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return (isIPv4(bare) && loopback.check(bare)) || (isIPv6(bare) && loopback.check(bare, 'ipv6'))
}

export function isHost(host: string): boolean {
  return isIP(withoutBrackets(host)) !== 0 || /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$/i.test(host)
}

/** `[::1]`, as URLs write it, is `::1` for the system. */
export function withoutBrackets(host: string): string {
  const inner = /^\[(.+)\]$/.exec(host)?.[1]
  return inner !== undefined && isIPv6(inner) ? inner : host
}
