import { usePreferences } from './preferences.ts'

export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]

/** The words of one part of the workbench, in every language: what one lacks is an error of types. */
export interface Texts<Words> {
  en: Words
  zh: Words
}

export function defineTexts<const Words extends Record<string, unknown>>(
  en: Words,
  zh: { [Key in keyof Words]: Widened<Words[Key]> },
): Texts<{ [Key in keyof Words]: Widened<Words[Key]> }> {
  return { en: en as never, zh }
}

/** A literal of one language is any string of the other. */
type Widened<Value> = Value extends string
  ? string
  : Value extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { [Key in keyof Value]: Widened<Value[Key]> }

/** What a thing is called, in every language: the palette finds it by any of its names. */
export type Name = Readonly<Record<Language, string>>

export const useName = (): ((name: Name) => string) => {
  const language = useLanguage()
  return (name) => name[language]
}

/** Chinese for any kind of Chinese, English for everybody else. */
export const languageOf = (name: string): Language => (/^zh\b/i.test(name) ? 'zh' : 'en')

export function useLanguage(): Language {
  const chosen = usePreferences(({ language }) => language)
  return chosen === 'system' ? languageOf(navigator.language) : chosen
}

/** `const t = useTexts(sessionTexts)`, then `t.send`. */
export function useTexts<Words>(texts: Texts<Words>): Words {
  return texts[useLanguage()]
}

/** What `Intl` is asked with. */
export const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : 'en')
