import { ParleyError, quote } from '../../core/protocol/error.ts'
import { compileObjectSchema } from '../../core/protocol/json-schema.ts'
import { parseSchedule } from '../schedule/next-fire.ts'
import { blocksOf, allSteps, type Block, type Path } from './blocks.ts'
import { maxSteps, type DefinitionText, type StepText } from './definition.ts'
import { ExpressionError, parseExpression, referencesOf, type Reference } from './expression.ts'
import { fieldsOf, isOwn } from './step-types.ts'
import { referencesIn } from './template.ts'
import { requireUsableTrigger } from './trigger-args.ts'

/** A problem and its place; the offset is relative to the text at that place. */
export interface Fault {
  path: Path
  message: string
  offset?: number
}

/** Fields of a step that expressions can read. */
export const readableFields = ['output', 'data', 'approved', 'sessionId', 'status', 'error'] as const

const always = ['args', 'prev'] as const
const reserved: ReadonlySet<string> = new Set([...always, 'item', 'index', 'iteration'])
const maxDepth = 8

/** Checks what a schema cannot: ids, and whether every name is defined where it is used. */
export function checkDefinition(definition: DefinitionText): Fault[] {
  const all = allSteps(definition.steps)
  if (all.length > maxSteps)
    return [{ path: ['steps'], message: `has ${all.length} steps in all; ${maxSteps} is the most` }]
  const ids = new Set(all.flatMap(({ step }) => step.id ?? []))
  const faults = [
    ...checkIds(all),
    ...checkNames(all, ids),
    ...checkTriggers(definition),
    ...checkSchemas(all),
  ]
  const args = definition.args && new Set(Object.keys(definition.args))
  checkBlock(definition.steps, ['steps'], new Set(always), 0)
  return faults

  /** Returns the names that are defined after the block. */
  function checkBlock(steps: readonly StepText[], path: Path, given: ReadonlySet<string>, depth: number) {
    const known = new Set(given)
    if (depth > maxDepth) faults.push({ path, message: `is nested deeper than ${maxDepth} levels` })
    else
      for (const [index, step] of steps.entries()) {
        const here = [...path, index]
        checkTexts(textsBefore(step), here, known)
        const visible = blocksOf(step).flatMap((block) => checkInner(block, here, known, depth))
        for (const name of visible) known.add(name)
        const locals = blocksOf(step).flatMap((block) => (block.isRepeated ? block.locals : []))
        checkTexts(textsBetween(step), here, new Set([...known, ...locals]))
        if (step.id !== undefined) known.add(step.id)
        checkTexts(textsAfter(step), here, known)
      }
    return known
  }

  function checkInner(block: Block, here: Path, known: ReadonlySet<string>, depth: number): string[] {
    const own = block.isRepeated ? allSteps(block.steps).flatMap(({ step }) => step.id ?? []) : []
    const inside = new Set([...known, ...block.locals, ...own])
    const after = checkBlock(block.steps, [...here, ...block.path], inside, depth + 1)
    return block.isVisibleAfter ? [...after].filter((name) => !block.locals.includes(name)) : []
  }

  function checkTexts({ expressions, templates }: Texts, here: Path, known: ReadonlySet<string>): void {
    for (const { path, value } of expressions) checkExpression(String(value), [...here, ...path], known)
    for (const { path: name, value } of templates)
      for (const { reference, path } of referencesIn(value))
        checkReference(reference, [...here, ...name, ...path], known, isFieldRead(reference))
  }

  function checkExpression(text: string, path: Path, known: ReadonlySet<string>): void {
    try {
      for (const reference of referencesOf(parseExpression(text)))
        checkReference(reference, path, known, true)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      faults.push({ path, message: `is no expression: ${error.message}`, offset: error.offset })
    }
  }

  /** In a text an unknown name may be just a word with a dollar; one whose output is read is a mistake. */
  function checkReference(
    { root, path: way }: Reference,
    path: Path,
    known: ReadonlySet<string>,
    isMeantAsOne: boolean,
  ): void {
    const name = `$${root}`
    if (!known.has(root)) {
      if (isMeantAsOne)
        faults.push({
          path,
          message: `speaks of ${quote(name)}, which is no earlier step and no other name here`,
        })
    } else if (root === 'args') {
      if (args && way[0] !== undefined && !args.has(way[0]))
        faults.push({ path, message: `speaks of ${quote(`${name}.${way[0]}`)}, which is not among the args` })
    } else if (
      (root === 'prev' || ids.has(root)) &&
      way[0] !== undefined &&
      !(readableFields as readonly string[]).includes(way[0])
    )
      faults.push({
        path,
        message: `asks ${quote(name)} for ${quote(way[0])}; there is ${readableFields.map((word) => `.${word}`).join(', ')}`,
      })
  }
}

const isFieldRead = ({ path }: Reference) => (readableFields as readonly string[]).includes(path[0] ?? '')

type Steps = ReturnType<typeof allSteps>

function checkIds(all: Steps): Fault[] {
  const seen = new Set<string>()
  return all.flatMap(({ step: { id }, path }) => {
    if (id === undefined) return []
    const at = [...path, 'id']
    if (reserved.has(id))
      return [{ path: at, message: `is ${quote(id)}, which means something else already` }]
    if (seen.has(id)) return [{ path: at, message: `is ${quote(id)}, as that of another step` }]
    seen.add(id)
    return []
  })
}

/** The name of an item must not shadow another name. */
const checkNames = (all: Steps, ids: ReadonlySet<string>): Fault[] =>
  all.flatMap(({ step, path }) => {
    const name = step.type === 'foreach' ? step.as : undefined
    if (name === undefined || name === 'item') return []
    const at = [...path, 'as']
    if (reserved.has(name))
      return [{ path: at, message: `is ${quote(name)}, which means something else already` }]
    return ids.has(name) ? [{ path: at, message: `is ${quote(name)}, the id of a step` }] : []
  })

const checkTriggers = ({ triggers = [], args }: DefinitionText): Fault[] =>
  triggers.flatMap((trigger, index) => [
    ...(trigger.type === 'cron'
      ? refusalOf(['triggers', index, 'schedule'], () =>
          parseSchedule(trigger.schedule, trigger.timezone ?? 'UTC'),
        )
      : []),
    ...refusalOf(['triggers', index], () => requireUsableTrigger(trigger, args)),
  ])

const checkSchemas = (all: Steps): Fault[] =>
  all.flatMap(({ step, path }) => {
    const schema = step.type === 'agent' ? step.sessionConfig?.outputSchema : undefined
    return schema
      ? refusalOf([...path, 'sessionConfig', 'outputSchema'], () => compileObjectSchema(schema, 'schema'))
      : []
  })

/** Reports now what would be rejected later. */
function refusalOf(path: Path, attempt: () => unknown): Fault[] {
  try {
    attempt()
    return []
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return [{ path, message: `is refused: ${error.message.replace(/\.$/, '')}` }]
  }
}

interface Texts {
  expressions: { path: Path; value: string | boolean }[]
  templates: { path: Path; value: unknown }[]
}

const at = <Value>(value: Value | undefined, ...path: Path): { path: Path; value: Value }[] =>
  value === undefined ? [] : [{ path, value }]

/** Texts that are evaluated before a step and its inner steps run. */
function textsBefore(step: StepText): Texts {
  const expressions = at(step.condition, 'condition')
  const templates = at<unknown>(step.input, 'input')
  if (isOwn(step)) {
    for (const [name, value] of Object.entries(fieldsOf(step))) templates.push(...at(value, name))
    return { expressions, templates }
  }
  switch (step.type) {
    case 'agent':
      templates.push(
        ...at(step.prompt, 'prompt'),
        ...at(step.sessionConfig?.systemPrompt, 'sessionConfig', 'systemPrompt'),
      )
      break
    case 'approve':
      templates.push(...at(step.prompt, 'prompt'), ...at(step.approvePrompt, 'approvePrompt'))
      break
    case 'transform':
      templates.push(...at(step.transform, 'transform'))
      break
    case 'workflow':
      templates.push(...at(step.args, 'args'))
      break
    case 'foreach':
      if (typeof step.items === 'string') expressions.push(...at(step.items, 'items'))
      else templates.push(...at(step.items, 'items'))
      break
    case 'branch':
      for (const [index, { when }] of step.cases.entries())
        expressions.push(...at(when, 'cases', index, 'when'))
      break
  }
  return { expressions, templates }
}

/** Texts that are evaluated after the step, and can refer to it. */
const textsAfter = (step: StepText): Texts => ({
  expressions: [],
  templates: at(step.linkedActions, 'linkedActions'),
})

/** Texts that are evaluated after each round. */
const textsBetween = (step: StepText): Texts => ({
  expressions: step.type === 'loop' ? at(step.until, 'until') : [],
  templates: step.type === 'loop' ? at(step.stopWhenRepeated, 'stopWhenRepeated') : [],
})

/** Texts that no database can store: YAML can contain them as `"\0"`. */
export function findUnstorable(value: unknown, path: Path = []): Fault[] {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0')
      ? []
      : [{ path, message: 'holds a NUL character or half of a surrogate pair' }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...(Array.isArray(value) ? [] : findUnstorable(key, [...path, key])),
    ...findUnstorable(item, [...path, Array.isArray(value) ? Number(key) : key]),
  ])
}
