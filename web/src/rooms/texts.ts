import { defineTexts } from '../shell/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const roomTexts = texts('roomTexts')
export const agentTexts = texts('agentTexts')
export const roomFormTexts = texts('roomFormTexts')
export const roomListTexts = texts('roomListTexts')
export const modeTexts = texts('modeTexts')
