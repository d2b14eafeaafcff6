import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

/** Which addresses may be connected to. A name is asked about together with each address that it has. */
export interface AddressRules {
  isAllowed(hostname: string, address: string): boolean
}

/**
 * Public addresses, and what the operator named: hosts, addresses or ranges (`10.0.0.0/8`). Those of this machine are
 * never public: what its firewall keeps from others could be reached through them.
 */
export function createAddressRules(
  allowPrivate: readonly string[],
  ownAddresses: () => readonly string[] = listOwnAddresses,
): AddressRules {
  const hosts = new Set<string>()
  const ranges = new BlockList()
  for (const entry of allowPrivate) {
    const [address = '', prefix] = entry.split('/')
    const version = isIP(address)
    if (version === 0) hosts.add(domainToASCII(entry))
    else ranges.addSubnet(address, Number(prefix ?? widths[version]), families[version])
  }
  return {
    isAllowed(hostname, address) {
      const version = isIP(address)
      if (version === 0) return false
      if (hosts.has(hostname) || ranges.check(address, families[version])) return true
      return isPublicAddress(address) && !ownAddresses().includes(address)
    },
  }
}

const families = { 4: 'ipv4', 6: 'ipv6' } as const as Record<number, 'ipv4' | 'ipv6'>
const widths = { 4: 32, 6: 128 } as const as Record<number, number>

// what was given out for use all over the internet; the rest embeds other addresses or is nobody's
const globalUnicast = ipaddr.parseCIDR('2000::/3')
// looks public, but on every machine of that cloud it answers with what only the machine may know
const cloudServices = new Set(['168.63.129.16'])

/** Whether an address, as a resolver or a parsed URL writes it, is on the open internet and nowhere else. */
export function isPublicAddress(text: string): boolean {
  // stricter than the parser below, which also takes notations that systems read differently
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !cloudServices.has(text)
  return address.match(globalUnicast) && !isTunnelled(address)
}

/** ISATAP carries an IPv4 address, of any network, at the end of an ordinary one. */
const isTunnelled = ({ parts }: ipaddr.IPv6) => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe

const listOwnAddresses = () =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
