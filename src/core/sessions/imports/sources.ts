import type { Fields } from '../formats/foreign/fields.ts'
import { chatGpt } from './sources/chatgpt.ts'
import { claude } from './sources/claude.ts'
import { claudeCode } from './sources/claude-code.ts'
import { codex } from './sources/codex.ts'
import { libreChat } from './sources/librechat.ts'
import { openCode } from './sources/opencode.ts'
import { openWebUi } from './sources/open-webui.ts'
import { shareGpt } from './sources/sharegpt.ts'
import type { Source } from './sources/source.ts'

/** Programs whose exports can be imported; a new one is a file in `sources/` and its name here. */
export const sources: readonly Source[] = [
  chatGpt,
  claude,
  openWebUi,
  libreChat,
  openCode,
  shareGpt,
  claudeCode,
  codex,
]

export const recogniseSource = (value: Fields): Source | undefined =>
  sources.find((source) => source.recognises(value))
