import { defineTexts } from './texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const actionTexts = texts('actionTexts')
export const appTexts = texts('appTexts')
export const paletteTexts = texts('paletteTexts')
