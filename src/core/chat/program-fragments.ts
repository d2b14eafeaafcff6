import { z } from 'zod'
import type { Fragment } from '../prompt/fragment.ts'
import { interactiveRecipe } from '../prompt/recipe.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import { callable, choice, filledText, requiredGroup, textList } from '../protocol/options.ts'
import { promptTags, sealed } from '../protocol/prompt-tags.ts'
import type { ProgramFragment } from './program-fragment.ts'
import type { PromptSource } from './prompt-source.ts'
import type { FragmentPlace, SessionTypes } from './session-types.ts'

const fragmentName = z
  .string({ error: 'must be a text' })
  .regex(/^[a-z][a-z\d_]{0,39}$/, 'must be a word of lower-case letters, digits and "_"')
  .refine((name) => !(promptTags as readonly string[]).includes(name), 'must be no tag that Parley has')

export const fragmentsOption = z.array(
  requiredGroup<ProgramFragment>(
    {
      name: fragmentName,
      part: choice('static', 'dynamic'),
      before: filledText,
      after: filledText,
      recipes: textList,
      appliesTo: callable,
      load: callable,
      render: callable,
    },
    ['name', 'part', 'render'],
  ).refine(
    ({ before, after }) => (before === undefined) !== (after === undefined),
    'must have either before or after',
  ),
  { error: 'must be a list of fragments' },
)

/** As the sources of extensions are. */
export function toSource(own: ProgramFragment): PromptSource {
  const { name, part, recipes } = own
  // a blank keeps it apart from what extensions know
  const key = `fragment ${name}`
  const fragment: Fragment = {
    name,
    render(context) {
      const facts = (context as unknown as Record<string, { loaded: unknown } | undefined>)[key]
      const text = facts && own.render(context, facts.loaded)?.trim()
      return text ? `<${name}>\n${sealedIn(name, text)}\n</${name}>` : undefined
    },
  }
  return {
    name,
    appliesTo: (session, input) => own.appliesTo?.(session, input) ?? true,
    load: async (session, input) => ({ [key]: { loaded: await own.load?.(session, input) } }),
    places: [
      {
        fragment,
        part,
        ...(own.before === undefined ? { after: own.after! } : { before: own.before }),
        ...(recipes && { isFor: (type) => recipes.includes(type.name) }),
      },
    ],
  }
}

const sealedIn = (name: string, text: string) =>
  sealed(text).replaceAll(new RegExp(`<(?=/?${name}(?![\\w.:-]))`, 'gi'), '< ')

/** Refuses a fragment that has the name of another, or that would stand nowhere. */
export function checkFragments(
  types: SessionTypes,
  places: readonly FragmentPlace[],
  own: readonly ProgramFragment[] = [],
): void {
  const recipes = types.list().map(({ recipe = interactiveRecipe }) => recipe)
  const inRecipes = recipes.flatMap((recipe) => [...recipe.sessionStatic, ...recipe.perTurnDynamic])
  const known = new Map<string, Fragment>()
  for (const fragment of [...inRecipes, ...places.map((place) => place.fragment)]) {
    const { name } = fragment
    if ((known.get(name) ?? fragment) !== fragment)
      throw invalidRequest(`There are two fragments named ${quote(name)}.`)
    known.set(name, fragment)
  }
  for (const { name, before, after, recipes: named = [] } of own) {
    const neighbour = before ?? after!
    if (!known.has(neighbour))
      throw invalidRequest(
        `The fragment ${quote(name)} stands next to ${quote(neighbour)}, which is none. Fragments: ${[...known.keys()].join(', ')}.`,
      )
    for (const type of named)
      if (!types.list().some((one) => one.name === type))
        throw invalidRequest(
          `The fragment ${quote(name)} is for ${quote(type)}, which is no session type. Session types: ${types
            .list()
            .map((one) => one.name)
            .join(', ')}.`,
        )
  }
}
