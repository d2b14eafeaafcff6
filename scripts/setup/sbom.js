import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, npmReason } from './command.js'
import { SetupFailure } from './failure.js'
import { root } from './root.js'

/**
 * Writes what the published package is made of, in CycloneDX: its dependencies, and the packages that are bundled in the
 * workbench and in the page at /docs. The same lockfile gives the same file on every machine.
 */
export async function writeBill(file) {
  const { code, output } = await npm(process.execPath, [
    'sbom',
    '--sbom-format=cyclonedx',
    '--package-lock-only',
  ])
  if (code !== 0) throw new SetupFailure(`Cannot write the bill of materials (${npmReason(output)}).`)
  // warnings of npm come first
  const bill = JSON.parse(output.slice(output.indexOf('{\n')))
  delete bill.serialNumber
  delete bill.metadata.timestamp
  // npm calls packages of this repository after their folders
  bill.metadata.component.name = readJson('package.json').name

  // "npm sbom --omit=dev" also leaves out what is both a dependency and needed by one for development
  const kept = new Map(shippedPackages().map((shipped) => [shipped.ref, shipped]))
  const own = bill.metadata.component['bom-ref']
  bill.components = bill.components.filter((component) => kept.has(component['bom-ref']))
  for (const component of bill.components) {
    component.name = kept.get(component['bom-ref']).name
    component.properties = component.properties.filter(({ name }) => name !== 'cdx:npm:package:development')
    // where a package was fetched from is a matter of whoever built this
    component.externalReferences = []
  }
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => ref === own || kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }))
  bill.components.push(swaggerComponent())
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`)
}

function shippedPackages() {
  return Object.entries(readJson('package-lock.json').packages)
    .filter(([path, { dev, devOptional, link }]) => path !== '' && !dev && !devOptional && !link)
    .map(
      ([
        path,
        { name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version },
      ]) => ({
        ref: `${name}@${version}`,
        name,
      }),
    )
}

/** The build copies these two files from a package that is needed for nothing else. */
function swaggerComponent() {
  const folder = join('node_modules', '@fastify', 'swagger-ui')
  const version = readJson(join(folder, 'package.json')).devDependencies['swagger-ui-dist']
  return {
    'bom-ref': `swagger-ui-dist@${version}`,
    type: 'library',
    name: 'swagger-ui-dist',
    version,
    scope: 'required',
    purl: `pkg:npm/swagger-ui-dist@${version}`,
    licenses: [{ license: { id: 'Apache-2.0' } }],
    components: ['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => ({
      type: 'file',
      name,
      hashes: [{ alg: 'SHA-512', content: sha512(join(root, folder, 'static', name)) }],
    })),
  }
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const sha512 = (file) => createHash('sha512').update(readFileSync(file)).digest('hex')
