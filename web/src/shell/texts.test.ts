import { afterAll, describe, expect, it, vi } from 'vitest'
import { usePreferences } from './preferences.ts'
import { defineTexts, textsReady } from './texts.ts'

type Load = () => Promise<{ greeting: { hello: string } }>
type Module = Record<string, Record<string, unknown>>

const english = import.meta.glob<Module>('../*/en.ts', { eager: true })
const chinese = import.meta.glob<Module>('../*/zh.ts', { eager: true })

/** Every name in it, and which of them take values. */
const shapeOf = (words: unknown, path = ''): string[] => {
  if (typeof words === 'function') return [`${path}()`]
  if (typeof words !== 'object' || words === null) return [path]
  return Object.entries(words).flatMap(([key, value]) => shapeOf(value, `${path}.${key}`))
}

describe('the words of the workbench', () => {
  afterAll(async () => {
    usePreferences.setState({ language: 'system' })
    await textsReady()
  })

  it('are there in all languages for each part that has any', () => {
    expect(Object.keys(english).length).toBeGreaterThan(10)
    expect(Object.keys(chinese)).toEqual(Object.keys(english).map((path) => path.replace('en.ts', 'zh.ts')))
  })

  it.each(Object.keys(english))('of %s are the same in all languages', (path) => {
    // what the server says in English needs words in the other languages alone
    const names = (module: Module) => shapeOf({ ...module }).filter((name) => !name.includes('.reasons.'))
    expect(names(chinese[path.replace('en.ts', 'zh.ts')]!).sort()).toEqual(names(english[path]!).sort())
  })

  it('are loaded in the language that is chosen, and in the other one when that is chosen', async () => {
    usePreferences.setState({ language: 'en' })
    const en = vi.fn<Load>(async () => ({ greeting: { hello: 'Hello' } }))
    const zh = vi.fn<Load>(async () => ({ greeting: { hello: '你好' } }))
    const greeting = defineTexts({ en, zh })('greeting')
    await textsReady()
    expect(greeting.read('en')).toEqual({ hello: 'Hello' })
    expect(zh).not.toHaveBeenCalled()
    usePreferences.setState({ language: 'zh' })
    await vi.waitFor(() => expect(greeting.read('zh')).toEqual({ hello: '你好' }))
    await textsReady()
    expect([en.mock.calls.length, zh.mock.calls.length]).toEqual([1, 1])
  })

  it('are asked for again where they could not be loaded', async () => {
    usePreferences.setState({ language: 'en' })
    const en = vi
      .fn<Load>(async () => ({ greeting: { hello: 'Hello' } }))
      .mockRejectedValueOnce(new Error('offline'))
    const greeting = defineTexts({ en, zh: en })('greeting')
    await expect(greeting.load('en')).rejects.toThrow('offline')
    expect(await greeting.load('en')).toEqual({ hello: 'Hello' })
  })
})
