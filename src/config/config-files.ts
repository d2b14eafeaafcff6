import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Layer } from './check-entries.ts'
import { pathFrom, shownPath, type Place } from '../core/settings/setting-path.ts'
import { describeKind, pointTo, unknownKeys, whereIn, type FilePlace, type Source } from './config-problem.ts'
import { isSettingKey, knownKeys, settingAt } from './settings.ts'
import { parseYaml } from '../core/protocol/yaml-text.ts'

/** The variable that names a project file; it steers the search and is no setting. */
export const configVariable = 'PARLEY_CONFIG'

const maxBytes = 1_048_576

export interface ConfigFile {
  source: Source
  path: string
}

/** Reads one file, in full or not at all; why not comes back as the end of a sentence. */
export function readText(path: string): { text: string } | { failure: string; isAbsent?: true } {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return { failure: 'is not a file' }
    if (stats.size > maxBytes) return { failure: `is larger than 1 MiB (${stats.size} bytes)` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { failure: 'is not UTF-8 text' }
    if (code === 'ENOENT' || code === 'ENOTDIR') return { failure: 'does not exist', isAbsent: true }
    return { failure: `cannot be read (${code})` }
  }
}

/** The files that may hold settings, highest precedence first. */
export function readFiles(place: Place): { files: ConfigFile[]; layers: Layer[] } {
  const { env, cwd, configHome, path } = place
  const named = env[configVariable]
  const candidates: (ConfigFile & { isNamed?: boolean })[] = [
    ...(named
      ? [{ source: sourceOfNamed(place, named), path: pathFrom(place, cwd)(named), isNamed: true }]
      : projectFolders(place).map(
          (folder) => ({ source: 'project', path: path.join(folder, 'parley.yaml') }) as const,
        )),
    { source: 'user', path: path.join(configHome, 'parley', 'config.yaml') },
  ]
  const files: ConfigFile[] = []
  const layers: Layer[] = []
  for (const { source, path: file, isNamed } of candidates) {
    if (files.some((found) => found.source === source)) continue // the nearest project file hides those above it
    const content = readText(file)
    if ('isAbsent' in content && !isNamed) continue
    files.push({ source, path: file })
    layers.push(
      'text' in content
        ? toLayer(content.text, source, file, place)
        : unreadable(content.failure, source, file, place),
    )
  }
  return { files, layers }
}

/** A full path is the choice of a person; what a relative one means depends on the folder, which may be a stranger's. */
const sourceOfNamed = ({ path }: Place, named: string): Source =>
  path.isAbsolute(named) || /^~[/\\]/.test(named) ? 'named' : 'project'

/** From the current folder up to the root of its repository; outside a repository only the folder itself. */
function projectFolders({ cwd, path }: Place): string[] {
  const folders: string[] = []
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    folders.push(folder)
    if (existsSync(path.join(folder, '.git'))) return folders
    if (path.dirname(folder) === folder) return [cwd]
  }
}

function unreadable(failure: string, source: Source, file: string, place: Place): Layer {
  return { entries: [], problems: [{ message: `${shownPath(place, file)} ${failure}.`, source, name: file }] }
}

function toLayer(text: string, source: Source, path: string, place: Place): Layer {
  const { value, faults, lineOf } = parseYaml(text)
  const file: FilePlace = { origin: { source, name: path }, shown: shownPath(place, path), lineOf }
  const layer: Layer = { entries: [], problems: [] }
  for (const { message, line, column } of faults) {
    const position = line === undefined ? '' : ` (line ${line}, column ${column})`
    layer.problems.push({ message: `${file.shown} ${message}${position}.`, ...file.origin, line, column })
  }
  if (faults.length === 0) addMapping(layer, value ?? {}, [], file, place.path.dirname(path))
  return layer
}

/** Sorts the keys of the file, or of one group of it, into settings and keys that nothing reads. */
function addMapping(layer: Layer, value: unknown, group: string[], file: FilePlace, base: string): void {
  const known = knownKeys(...group)
  if (!isMapping(value)) {
    const subject = group.length > 0 ? `${group.join('.')} ${whereIn(file, group)}` : file.shown
    const message = `${subject} must be a mapping with keys such as ${known.slice(0, 3).join(', ')}, not ${describeKind(value)}.`
    layer.problems.push(pointTo(file, group, message))
    return
  }
  const unknown = Object.keys(value).filter(
    (name) => !known.includes(name) && !(group.length === 0 && name === '$schema'),
  )
  layer.problems.push(...unknownKeys(file, group, unknown, known))
  for (const name of known.filter((candidate) => Object.hasOwn(value, candidate))) {
    const path = [...group, name]
    const key = path.join('.')
    if (!isSettingKey(key)) {
      // a group whose lines are all commented out is empty, not wrong
      if (value[name] !== null) addMapping(layer, value[name], path, file, base)
    } else if (value[name] !== null || !settingAt(key).byName)
      layer.entries.push({ key, value: value[name], origin: file.origin, base, file })
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
