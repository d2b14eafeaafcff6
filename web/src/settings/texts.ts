import { defineTexts } from '../shell/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const locksTexts = texts('locksTexts')
export const mcpTexts = texts('mcpTexts')
export const settingsTexts = texts('settingsTexts')
