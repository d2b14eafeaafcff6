import type { RoomFacts } from '../mode.ts'
import { en, type QuizTexts } from './texts-en.ts'
import { zh } from './texts-zh.ts'

export const quizTexts = (room: RoomFacts): QuizTexts => (room.settings.language === 'zh' ? zh : en)
