import { describe, expect, it } from 'vitest'
import { changeServers, readServers, toggleServer } from './session-servers.ts'

describe('the MCP servers of a session', () => {
  it('are all that there are, unless it names some or their group is off', () => {
    expect(readServers({})).toBe('all')
    expect(readServers({ allowedMcpServerIds: [] })).toBe('all')
    expect(readServers({ allowedMcpServerIds: ['a'] }, { mcp: true })).toEqual(['a'])
    expect(readServers({ allowedMcpServerIds: ['a'] }, { mcp: false })).toEqual([])
    expect(readServers({ toolGroups: { mcp: true } }, { mcp: false })).toBe('all')
    expect(readServers({ toolGroups: { mcp: false } })).toEqual([])
  })

  it('are named when one is left out, and none of them is not all of them', () => {
    expect(toggleServer('all', 'b', false, ['a', 'b', 'c'])).toEqual(['a', 'c'])
    expect(toggleServer(['a'], 'b', true, ['a', 'b'])).toEqual(['a', 'b'])
    expect(toggleServer(['a'], 'a', false, ['a', 'b'])).toEqual([])
    expect(changeServers({ toolGroups: { web: false } }, {}, [])).toEqual({
      toolGroups: { web: false, mcp: false },
    })
  })

  it('come back with as little said as possible', () => {
    expect(changeServers({}, {}, ['a'])).toEqual({ allowedMcpServerIds: ['a'] })
    expect(changeServers({ allowedMcpServerIds: ['a'] }, {}, 'all')).toEqual({ allowedMcpServerIds: null })
    expect(changeServers({ toolGroups: { mcp: false } }, {}, ['a'])).toEqual({
      allowedMcpServerIds: ['a'],
      toolGroups: null,
    })
    expect(changeServers({ toolGroups: { mcp: false, web: false } }, {}, 'all')).toEqual({
      allowedMcpServerIds: null,
      toolGroups: { web: false },
    })
    expect(changeServers({}, { mcp: false }, ['a'])).toEqual({
      allowedMcpServerIds: ['a'],
      toolGroups: { mcp: true },
    })
  })
})
