import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const root = join(import.meta.dirname, '..', '..')
const report = join(root, 'node_modules', '.cache', 'test', 'cost.tsv')
const shown = 10

/** Writes what each test file cost to `node_modules/.cache/test/cost.tsv`, costliest first, and prints the first few. */
export default class CostReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    if (modules.length < 2) return
    const rows = modules.map(toRow).sort((one, other) => other.cpuMs - one.cpuMs)
    const lines = rows.map(({ cpuMs, wallMs, tests, file }) => [seconds(cpuMs), seconds(wallMs), tests, file])
    mkdirSync(dirname(report), { recursive: true })
    writeFileSync(report, toTsv([['cpu_s', 'wall_s', 'tests', 'file'], ...lines]))
    const total = rows.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
    process.stdout.write(
      `\nCPU of ${rows.length} files: ${seconds(total)} s (${relative(root, report)}), the most in\n` +
        toTsv(lines.slice(0, shown).map(([cpu, , tests, file]) => [`${cpu} s`, `${tests} tests`, file])),
    )
  }
}

const toRow = (module: TestModule) => ({
  file: relative(root, module.moduleId),
  cpuMs: module.meta().cpuMs ?? 0,
  wallMs: module.diagnostic().duration,
  tests: [...module.children.allTests()].length,
})

const seconds = (ms: number) => (ms / 1_000).toFixed(1)

const toTsv = (rows: unknown[][]) => rows.map((row) => `${row.join('\t')}\n`).join('')
