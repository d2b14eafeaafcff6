import { defineTexts } from '../app/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const usageTexts = texts('usageTexts')
