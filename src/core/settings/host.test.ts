import { expect, it } from 'vitest'
import { isLoopbackHost } from './host.ts'

it.each([
  '127.0.0.1',
  '127.255.255.254',
  'localhost',
  'LocalHost',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
])('%s is loopback', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

it.each([
  '',
  '0.0.0.0',
  '::',
  '[::]',
  '*',
  '128.0.0.1',
  '10.0.0.1',
  '127.0.0.1.evil.test',
  '127.0.0.1:80',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  ' 127.0.0.1',
  '127.0.0.1\n',
  '[127.0.0.1]',
  'localhost.',
  'localhost.evil.test',
  'evil.localhost',
  'notlocalhost',
  '::1.evil.test',
  '::ffff:8.8.8.8',
  'fe80::1',
])('%j is not loopback', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})
