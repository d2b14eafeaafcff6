import { defineTexts } from '../app/texts.ts'

export const sessionTexts = defineTexts(
  { you: 'You', assistant: 'Assistant', send: 'Send', placeholder: 'Say something …' },
  { you: '你', assistant: '助手', send: '发送', placeholder: '说点什么……' },
)
