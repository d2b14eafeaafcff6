import { defineTexts } from '../shell/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const sessionTexts = texts('sessionTexts')
export const composerTexts = texts('composerTexts')
export const startTexts = texts('startTexts')
