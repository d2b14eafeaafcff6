import type { LoadedConfig } from '../config.ts'
import { ParleyError } from '../core/protocol/error.ts'
import { checkDataDir, checkNode, checkSandbox, checkWorkbench } from './doctor-machine.ts'
import { checkModels } from './doctor-models.ts'
import { checkKey, checkPort, findServer } from './doctor-server.ts'
import { checkStore } from './doctor-store.ts'
import { findingOf, type Finding } from './doctor-finding.ts'

export async function examine(load: () => LoadedConfig): Promise<Finding[]> {
  const node = checkNode(process.versions)
  let loaded: LoadedConfig
  try {
    loaded = load()
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    // nothing else can be checked without it
    return [
      node,
      {
        check: 'configuration',
        ok: false,
        detail: error.message,
        next: 'correct it; docs/configuration.md has every setting, and "parley config" shows where each value comes from',
      },
    ]
  }
  const { config } = loaded
  const files = loaded.files.map(({ path }) => path).join(', ') || 'defaults only'
  const server = await findServer(config)
  return [
    node,
    { check: 'configuration', ok: true, detail: files },
    await findingOf('data folder', () => checkDataDir(config.dataDir)),
    ...(await checkStore(config)),
    await findingOf('port', () => checkPort(config, server)),
    ...(server ? [await findingOf('key', () => checkKey(config, server))] : []),
    ...(await checkModels(config)),
    ...(config.extensions.length > 0 ? [await checkExtensions(loaded)] : []),
    checkSandbox(loaded),
    checkWorkbench(),
  ]
}

async function checkExtensions(config: LoadedConfig): Promise<Finding> {
  try {
    const { loadExtensions } = await import('./load-extensions.ts')
    const loaded = await loadExtensions(config)
    const detail = loaded
      .map(
        ({ extension: { name, version }, file }) => `${[name, version].filter(Boolean).join(' ')} (${file})`,
      )
      .join('\n')
    return { check: 'extensions', ok: true, detail }
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return {
      check: 'extensions',
      ok: false,
      detail: error.message,
      next: 'correct the extension, or take it out of the list "extensions"',
    }
  }
}
