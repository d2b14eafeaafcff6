// With --import: writes down which modules a program has loaded, one address per line.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const urls = []
registerHooks({
  load(url, context, next) {
    urls.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync('modules.txt', urls.join('\n')))
