/**
 * `node scripts/known-models.ts [version]` writes src/core/models/known-models.json: what is known of the models of the
 * providers in `known-servers.ts`, out of a package that collects it. Without a version it takes the newest.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { knownServers } from '../src/core/models/known-servers.ts'
import type { KnownModel, KnownModelList } from '../src/core/models/known-models.ts'
import type { ModelPrice } from '../src/core/protocol/models.ts'

const source = '@earendil-works/pi-ai'
const target = join(import.meta.dirname, '..', 'src', 'core', 'models', 'known-models.json')

const cost = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
/** By the API that they speak, then by type and id. */
const fileSchema = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      id: z.string(),
      type: z.string(),
      contextWindow: z.int().positive().optional(),
      maxTokens: z.int().positive().optional(),
      input: z.array(z.enum(['text', 'image'])).optional(),
      cost: cost.extend({ tiers: z.array(cost.extend({ inputTokensAbove: z.int() })).optional() }).optional(),
    }),
  ),
)
type Found = z.infer<typeof fileSchema>[string][string]
type Cost = z.infer<typeof cost>

const folder = mkdtempSync(join(tmpdir(), 'parley-models-'))
try {
  const version = unpack(process.argv[2] ?? 'latest')
  const providers: Record<string, Record<string, KnownModel>> = {}
  for (const name of [...new Set(Object.values(knownServers))].sort()) providers[name] = readProvider(name)
  write({ source: `${source}@${version} (MIT)`, providers })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Answers which version it is. */
function unpack(version: string): string {
  const [file] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder, `${source}@${version}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ) as { filename: string; version: string }[]
  execFileSync('tar', ['xzf', join(folder, file!.filename), '-C', folder])
  return file!.version
}

function readProvider(name: string): Record<string, KnownModel> {
  const path = join(folder, 'package', 'dist', 'providers', 'data', `${name}.json`)
  const found = Object.values(fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))).flatMap((models) =>
    Object.values(models).filter(({ type }) => type === 'chat'),
  )
  if (found.length === 0) throw new Error(`${source} has no models of ${name}.`)
  return Object.fromEntries(
    found.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map((model) => [model.id, toKnown(model)]),
  )
}

function toKnown({ contextWindow, maxTokens, input, cost: price }: Found): KnownModel {
  return {
    ...(contextWindow && { contextWindow }),
    ...(maxTokens && { maxOutputTokens: maxTokens }),
    ...(input && { input }),
    // nothing at all means that it is not known, or part of a subscription
    ...(price && (price.input > 0 || price.output > 0) && { price: toPrice(price, price.tiers) }),
  }
}

function toPrice(
  { input, output, cacheRead, cacheWrite }: Cost,
  tiers: (Cost & { inputTokensAbove: number })[] = [],
): ModelPrice {
  return {
    input,
    output,
    // nothing means that there is no price of its own
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(tiers.length > 0 && {
      tiers: tiers
        .toSorted((one, other) => one.inputTokensAbove - other.inputTokensAbove)
        .map((tier) => ({ above: tier.inputTokensAbove, ...toPrice(tier) })),
    }),
  }
}

/** A line for each model, so that a difference shows what has changed. */
function write({ source: from, providers }: KnownModelList): void {
  const blocks = Object.entries(providers).map(([name, models]) => {
    const lines = Object.entries(models).map(
      ([id, facts]) => `      ${JSON.stringify(id)}: ${JSON.stringify(facts)}`,
    )
    return `    ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n    }`
  })
  writeFileSync(
    target,
    `{\n  "source": ${JSON.stringify(from)},\n  "providers": {\n${blocks.join(',\n')}\n  }\n}\n`,
  )
  const count = Object.values(providers).reduce((sum, models) => sum + Object.keys(models).length, 0)
  process.stdout.write(`wrote ${count} models of ${Object.keys(providers).length} providers from ${from}\n`)
}
