import type { RoomFacts } from '../mode.ts'
import { en, type WorkflowTexts } from './texts-en.ts'
import { zh } from './texts-zh.ts'

export const textsOf = ({ settings }: RoomFacts): WorkflowTexts => (settings.language === 'zh' ? zh : en)
