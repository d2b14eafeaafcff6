const builtinImport = /^import (.+?) from "(node:[\w/]+)";$/gm
const parts = /^(?:([\w$]+))?(?:, )?(?:\* as ([\w$]+))?(\{.*\})?$/

/**
 * Takes Node's own modules as CommonJS does. An `import` of one reads all that it exports, `fetch` and web streams among it,
 * which Node loads only when somebody asks for them: that is as much as half of an empty Node.
 */
export const takeBuiltins = () => ({
  name: 'take-builtins',
  renderChunk: (code) => code.replace(builtinImport, toTaken),
})

function toTaken(line, imported, id) {
  const [, whole, namespace, named] = parts.exec(imported) ?? []
  const taken = `process.getBuiltinModule("${id}")`
  const names = [whole, namespace, named?.replaceAll(/\bdefault as /g, 'default: ').replaceAll(' as ', ': ')]
  const wanted = names.filter((name) => name !== undefined)
  if (wanted.length === 0) throw new Error(`Cannot read the import: ${line}`)
  return `var ${wanted.map((name) => `${name} = ${taken}`).join(', ')};`
}
