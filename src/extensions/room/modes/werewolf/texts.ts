import type { RoomFacts } from '../mode.ts'
import { en, type Texts } from './texts-en.ts'
import { zh } from './texts-zh.ts'

export const textsOf = (room: RoomFacts): Texts => (room.settings.language === 'zh' ? zh : en)
