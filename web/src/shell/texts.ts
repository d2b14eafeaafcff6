import { use } from 'react'
import { create } from 'zustand'
import { usePreferences } from './preferences.ts'

export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]

/** Words of one part of the workbench. They are loaded in the language that is shown, and in no other. */
export interface Texts<OfPart> {
  read(language: Language): OfPart | undefined
  load(language: Language): Promise<OfPart>
}

export type WordsOf<OfPart extends Texts<unknown>> = OfPart extends Texts<infer Found> ? Found : never

/** One module for each language, with an export for each part. */
export type TextLoaders<English = object> = {
  en(): Promise<English>
  zh(): Promise<{ [Part in keyof English]: Words<English[Part]> }>
}

/** What English has, in any language: a literal of one is any string of the other, and what one lacks is an error of types. */
export type Words<English> = English extends string
  ? string
  : English extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { [Key in keyof English]: Words<English[Key]> }

interface Module {
  load(language: Language): Promise<unknown>
}

const defined = new Set<Module>()

/** `const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })`, then `texts('ticketTexts')`. */
export function defineTexts<English extends object>(
  loaders: TextLoaders<English>,
): <Part extends keyof English>(part: Part) => Texts<Words<English[Part]>> {
  type Loaded = { [Part in keyof English]: Words<English[Part]> }
  const loaded = new Map<Language, Loaded>()
  const loading = new Map<Language, Promise<Loaded>>()
  const load = (language: Language) => {
    const known = loading.get(language)
    if (known) return known
    const started = (loaders[language] as () => Promise<Loaded>)()
    loading.set(language, started)
    started.then(
      (words) => loaded.set(language, words),
      // whoever waits for it is told; the next one tries again
      () => loading.delete(language),
    )
    return started
  }
  defined.add({ load })
  return (part) => {
    const parts = new Map<Language, Promise<Loaded[typeof part]>>()
    return {
      read: (language) => loaded.get(language)?.[part],
      load(language) {
        const known = parts.get(language)
        if (known) return known
        const started = load(language).then((words) => words[part])
        parts.set(language, started)
        started.catch(() => parts.delete(language))
        return started
      },
    }
  }
}

/** Until the words of all that is loaded are there, so that it can be drawn at once. */
export async function textsReady(language: Language = chosenLanguage()): Promise<void> {
  await Promise.all([...defined].map(({ load }) => load(language)))
}

/** What a thing is called, in every language: the palette finds it by any of its names. */
export type Name = Readonly<Record<Language, string>>

export const useName = (): ((name: Name) => string) => {
  const language = useLanguage()
  return (name) => name[language]
}

/** Chinese for any kind of Chinese, English for everybody else. */
export const languageOf = (name: string): Language => (/^zh\b/i.test(name) ? 'zh' : 'en')

export function chosenLanguage(): Language {
  const { language } = usePreferences.getState()
  return language === 'system' ? languageOf(navigator.language) : language
}

/** Follows what is chosen as soon as the words are there. */
const useShown = create<{ language: Language }>(() => ({ language: chosenLanguage() }))

usePreferences.subscribe(() => {
  const language = chosenLanguage()
  if (language === useShown.getState().language) return
  const show = () => {
    if (chosenLanguage() === language) useShown.setState({ language })
  }
  // what could not be loaded is tried again by whoever draws it, and fails there
  void textsReady(language).then(show, show)
})

export const useLanguage = (): Language => useShown(({ language }) => language)

/** `const t = useTexts(sessionTexts)`, then `t.send`. */
export function useTexts<OfPart>(texts: Texts<OfPart>): OfPart {
  const language = useLanguage()
  return texts.read(language) ?? use(texts.load(language))
}

/** What `Intl` is asked with. */
export const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : 'en')
