import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/operations.ts'
import { operationsIn } from '../../src/core/operations/operation.ts'
import { routesOf, startApp } from './app-server.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/http-reference.md'), 'utf8')
const all = operationsIn(operations)
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

// files of the workbench and of the page at /docs
const isFile = (path: string) => path === '/' || /^\/(assets|docs|diagram)[/.]/.test(path)

describe('every operation', () => {
  it.each(all.map((operation) => [nameOf(operation), operation] as const))(
    'says what it does, answers and refuses: %s',
    (_name, { summary, returns, refuses, otherStatuses, output, status }) => {
      const texts = [summary, returns, ...Object.values(refuses), ...Object.values(otherStatuses)]
      for (const text of texts) expect(text).toMatch(/^\S.*[^\s.]$/)
      for (const refusal of Object.keys(refuses)) expect(refusal).toMatch(/^[45]\d\d$/)
      for (const other of Object.keys(otherStatuses)) expect(other).toMatch(/^2\d\d$/)
      // "Deleted" stands for all that answers nothing and says nothing of it
      if (output) expect(returns).not.toBe('Deleted')
      expect(status === 204).toBe(output === undefined)
    },
  )

  it('is in the reference once', () => {
    const told = [...page.matchAll(/^`([A-Z]+ \/\S+)` · /gm)].map(([, name]) => name)
    expect(told).toEqual(all.map(nameOf))
  })
})

describe('the reference', () => {
  it('has every route of the server, and no other', async () => {
    await using server = await startApp()
    const routes = routesOf(server)
      .filter(({ path }) => !isFile(path))
      .map(({ method, path }) => nameOf({ method, path: path.replaceAll(/:(\w+)/g, '{$1}') }))
      .map((name) => name.replace(/^[A-Z]+ (?=\/mcp$)/, ''))
    const told = [...page.matchAll(/^(?:- )?`((?:[A-Z]+ )?\/\S+)`(?: ·|:)/gm)].map(([, name]) => name)
    expect(told.toSorted()).toEqual([...new Set(routes)].toSorted())
  })

  it('is of a server that declares each route once', async () => {
    await using server = await startApp()
    const declared = server.app.openAPIRegistry.definitions
      .filter((definition) => definition.type === 'route')
      .map(({ route }) => nameOf(route))
    expect(declared.filter((name, index) => declared.indexOf(name) !== index)).toEqual([])
  })
})
