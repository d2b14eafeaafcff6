import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from './bench.ts'

export interface Measured extends Figure {
  bench: string
  met?: boolean
}

const readme = join(import.meta.dirname, 'README.md')
const head = ['| bench | what | figure | goal | met |', '| --- | --- | --- | --- | --- |']

export const toTable = (results: Measured[]): string => [...head, ...results.map(toRow)].join('\n')

function toRow({ bench, what, value, unit, goal, met }: Measured): string {
  const figure = `${value >= 100 ? Math.round(value) : value.toFixed(2)} ${unit}`.trim()
  return `| ${bench} | ${what} | ${figure} | ${toBounds(goal)} | ${met === undefined ? '' : met ? 'yes' : '**no**'} |`
}

function toBounds({ min, max }: { min?: number; max?: number } = {}): string {
  if (min !== undefined && max !== undefined) return min === max ? `${min}` : `${min} to ${max}`
  return min !== undefined ? `≥ ${min}` : max !== undefined ? `≤ ${max}` : ''
}

/** Puts the figures into the README; those of benchmarks that were not run stay. */
export function writeFigures(machine: string, results: Measured[]): void {
  const [before = '', after = ''] = readFileSync(readme, 'utf8').split('## Last figures\n')
  const names = new Set(results.map(({ bench }) => bench))
  const rows = after
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(head.length)
    .map((line) => line.replaceAll(/ +/g, ' '))
  const nameOf = (row: string) => row.split('|')[1]!.trim()
  const kept = rows.filter((row) => !names.has(nameOf(row)))
  // where a benchmark stood, or at the end
  const at = rows.findIndex((row) => names.has(nameOf(row)))
  kept.splice(at < 0 ? kept.length : at, 0, ...results.map(toRow))
  const table = [...head, ...kept].join('\n')
  writeFileSync(readme, `${before}## Last figures\n\n${machine}; \`npm run bench -- --write\`.\n\n${table}\n`)
}
