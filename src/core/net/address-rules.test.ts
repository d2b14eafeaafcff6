import { describe, expect, it } from 'vitest'
import { createAddressRules, isPublicAddress } from './address-rules.ts'

describe('public', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
    '2001:4860:4860::8888',
    '2400:cb00::1',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true))
})

describe('not public', () => {
  it.each([
    // of this machine or of nobody
    '0.0.0.0',
    '0.1.2.3',
    '127.0.0.1',
    '127.255.255.254',
    '::',
    '::1',
    // private, shared, link-local; those of clouds among them
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '169.254.169.254',
    '168.63.129.16',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'fdff::1',
    // many at once
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    'ff02::1',
    'ff0e::1',
    // kept for documents, tests, relays and the future
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '2001:db8::1',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2620:4f:8000::1',
    '3fff::1',
    '5f00::1',
    '100::1',
    '4000::1',
    '8000::1',
    // an IPv4 address within: mapped, compatible, translated, relayed, tunnelled
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '::7f00:1',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2002:7f00:1::1',
    '2002:808:808::1',
    '2001::7f00:1',
    '2001:0:4136:e378:8000:63bf:80ff:fffe',
    '2606:4700::5efe:7f00:1',
    '2606:4700::200:5efe:7f00:1',
    // not addresses, or not to everybody the same
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '8.8.8',
    '8.8.8.8/8',
    '[::1]',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8\n',
    '008.8.8.8',
  ])('%j', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('rules', () => {
  const none = () => []

  it('let public addresses pass, except those of this machine', () => {
    expect(createAddressRules([], none).isAllowed('a.test', '93.184.216.34')).toBe(true)
    expect(createAddressRules([], () => ['93.184.216.34']).isAllowed('a.test', '93.184.216.34')).toBe(false)
  })

  it.each([
    ['a name that is allowed, wherever it is', ['wiki.intern'], 'wiki.intern', '10.0.0.5', true],
    ['and no name that only ends or begins like it', ['wiki.intern'], 'evil-wiki.intern', '10.0.0.5', false],
    ['', ['wiki.intern'], 'wiki.intern.evil.test', '10.0.0.5', false],
    ['a name with letters of its own', ['Wíki.intern'], 'xn--wki-rma.intern', '10.0.0.5', true],
    ['an address', ['10.0.0.5'], '10.0.0.5', '10.0.0.5', true],
    ['and not its neighbour', ['10.0.0.5'], 'a.test', '10.0.0.6', false],
    ['a range', ['10.1.0.0/16'], 'a.test', '10.1.200.3', true],
    ['and not beyond', ['10.1.0.0/16'], 'a.test', '10.2.0.1', false],
    ['a range of IPv6', ['fd00::/8'], 'a.test', 'fd12::1', true],
    ['and not beyond', ['fd00::/8'], 'a.test', 'fe80::1', false],
    ['nothing that is no address', ['0.0.0.0/0'], 'a.test', 'b.test', false],
  ])('%s (%j %s %s)', (_name, allowPrivate, host, address, expected) => {
    expect(createAddressRules(allowPrivate, none).isAllowed(host, address)).toBe(expected)
  })
})
