import { defineTexts } from '../shell/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const runNotifierTexts = texts('runNotifierTexts')
export const sessionPlaceTexts = texts('sessionPlaceTexts')
export const workflowTexts = texts('workflowTexts')
export const editorTexts = texts('editorTexts')
export const runTexts = texts('runTexts')
