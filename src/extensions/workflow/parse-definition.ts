import { ParleyError } from '../../core/protocol/error.ts'
import { describeIssue } from '../../core/protocol/issues.ts'
import { maxDefinitionLength, type DefinitionProblem } from './protocol/workflow.ts'
import { parseYaml } from '../../core/protocol/yaml-text.ts'
import { cut } from '../../core/shared/text.ts'
import type { Path } from './blocks.ts'
import { checkDefinition, findUnstorable } from './check-definition.ts'
import { definitionSchema, type DefinitionText } from './definition.ts'
import { nameSteps, type Definition } from './named-steps.ts'

// where a top-level field is missing
const top = { line: 1, column: 1 }
// nobody fixes more at once, and locating each takes time
const maxProblems = 100

export type Parsed = { definition: Definition } | { problems: DefinitionProblem[] }

/** Parses a definition in YAML or JSON, which is YAML too. Reports all problems at once. */
export function parseDefinition(text: string, schema: typeof definitionSchema = definitionSchema): Parsed {
  if (text.length > maxDefinitionLength)
    return {
      problems: [{ message: `It is longer than ${maxDefinitionLength} characters.`, path: '', ...top }],
    }
  const { value, faults, placeOf } = parseYaml(text)
  if (faults.length > 0)
    return {
      problems: faults.slice(0, maxProblems).map(({ message, ...place }) => ({
        ...top,
        message: `It ${message}.`,
        path: '',
        ...place,
      })),
    }
  const toProblem = (path: Path, message: string): DefinitionProblem => ({
    message: path.length === 0 ? `It ${message}.` : `${toText(path)} ${message}.`,
    path: toText(path),
    ...(placeOf(path) ?? top),
  })
  const result = schema.safeParse(value)
  if (!result.success)
    return {
      problems: result.error.issues.slice(0, maxProblems).map((issue) => {
        const path = issue.path as Path
        // the key itself, not the mapping that it is in
        const [key] = issue.code === 'unrecognized_keys' ? issue.keys : []
        const at = key === undefined ? path : [...path, key]
        return { message: describeIssue(issue, value), path: toText(at), ...(placeOf(at) ?? top) }
      }),
    }
  // with their ids, so that generated ids can be referred to
  const definition = nameSteps(result.data as DefinitionText)
  const problems = [...findUnstorable(value), ...checkDefinition(definition)]
    .slice(0, maxProblems)
    .map(({ path, message }) => toProblem(path, message))
  return problems.length > 0 ? { problems } : { definition }
}

export const requireDefinition = (text: string): Definition => requireParsed(parseDefinition(text))

export function requireParsed(parsed: Parsed): Definition {
  if ('definition' in parsed) return parsed.definition
  const { problems } = parsed
  throw new ParleyError('invalid_request', describeProblems(problems), { details: { problems } })
}

// a person reads them, and a log keeps them
const maxDescribed = 5
const maxDescribedLength = 300

/** The first of them as a text. */
function describeProblems(problems: DefinitionProblem[]): string {
  const list = problems.slice(0, maxDescribed).map(({ message, line, column }) => {
    const short = cut(message, maxDescribedLength)
    return line === undefined ? short : `Line ${line}, column ${column}: ${short}`
  })
  if (problems.length > maxDescribed) list.push(`and ${problems.length - maxDescribed} more`)
  return `The workflow has problems:\n- ${list.join('\n- ')}`
}

/** `steps[2].prompt` */
const toText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
