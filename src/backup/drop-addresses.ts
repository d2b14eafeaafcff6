import { readFile, writeFile } from 'node:fs/promises'

/**
 * Removes the providers of a credentials file that have a custom address, and returns which. What is sent to a
 * model is sent to that address; without it, the key would be sent to the provider's usual one, which it is not meant for.
 */
export async function dropAddresses(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const providers = parse(text)
  // the server reports what is wrong with it
  if (!providers) return []
  const [dropped, kept] = [[] as string[], {} as Record<string, unknown>]
  for (const [name, settings] of Object.entries(providers))
    if ((settings as { baseUrl?: unknown } | null)?.baseUrl === undefined) kept[name] = settings
    else dropped.push(name)
  if (dropped.length > 0)
    await writeFile(file, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600, flush: true })
  return dropped
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
