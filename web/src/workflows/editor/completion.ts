import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { cursorPlace } from './cursor-place.ts'
import { nameOptions } from './names.ts'
import { keyOptions, valueOptions, type Option, type Schema } from './schema-options.ts'

/** What may be written at the cursor: keys and values as the schema says, names of args and earlier steps after a dollar. */
export function completeFrom(schemaOf: () => Schema | undefined) {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString()
    const name = context.matchBefore(/\$[\w.-]*/)
    if (name)
      return {
        from: name.from,
        options: nameOptions(text, name.from).map(({ label }) => ({
          label,
          type: 'variable',
          // what a step said is what is nearly always meant
          boost: label.endsWith('.output') ? 1 : 0,
        })),
        validFor: /^\$[\w.-]*$/,
      }
    const schema = schemaOf()
    const place = cursorPlace(text, context.pos)
    if (!schema || place.isText || !/^[\w-]*$/.test(place.typed)) return null
    const isValue = place.key !== undefined
    // a value is offered as soon as its place is there, a key with its first letter
    if (place.typed === '' && !context.explicit && !isValue) return null
    const options = isValue ? valueOptions(schema, place) : keyOptions(schema, place)
    if (options.length === 0) return null
    return {
      from: context.pos - place.typed.length,
      options: options.map((option) => toCompletion(option, isValue)),
      validFor: /^[\w-]*$/,
    }
  }
}

const toCompletion = ({ label, detail, info, isRequired }: Option, isValue: boolean): Completion => ({
  label,
  type: isValue ? 'enum' : 'property',
  ...(detail !== undefined && { detail }),
  ...(info !== undefined && { info }),
  ...(!isValue && { apply: `${label}: ` }),
  boost: isRequired ? 1 : 0,
})
