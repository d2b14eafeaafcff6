import { describe, expect, it } from 'vitest'
import { fitsHost } from './proxy.ts'

describe('a list of hosts', () => {
  it.each([
    ['example.com', 'example.com', 443],
    ['example.com', 'example.com', 80],
    ['example.com:8443', 'example.com', 8_443],
    ['*.example.com', 'a.example.com', 443],
    ['*.example.com', 'a.b.example.com', 443],
    ['[2606:2800::1]:80', '2606:2800::1', 80],
  ])('%s has %s:%i', (entry, host, port) => expect(fitsHost(entry, host, port)).toBe(true))

  it.each([
    ['example.com', 'example.com', 22],
    ['example.com:8443', 'example.com', 443],
    ['example.com', 'a.example.com', 443],
    ['example.com', 'badexample.com', 443],
    ['example.com', 'example.com.evil.test', 443],
    ['*.example.com', 'example.com', 443],
    ['*.example.com', '.example.com', 443],
    ['*.example.com', 'evilexample.com', 443],
    ['*.example.com', '*.example.com.evil', 443],
  ])('%s has not %s:%i', (entry, host, port) => expect(fitsHost(entry, host, port)).toBe(false))
})
