import { cut } from '../shared/text.ts'

/** The texts of the demo model, in the language of the user. */
export interface DemoWords {
  introduction(said: string): string
  thought(said: string): string
  calling(names: string[]): string
  answered(name: string, output: string, isError: boolean): string
  told(messages: string[]): string
  done: string
  filler: string[]
}

export const toWords = (text: string): DemoWords => (/\p{Script=Han}/u.test(text) ? chinese : english)

/** One at a time: words with what follows them, Chinese in pairs. */
export const toPieces = (text: string): string[] =>
  text.match(/\p{Script=Han}{1,2}|(?:(?!\p{Script=Han})\S)+\s*|\s+/gu) ?? []

const english: DemoWords = {
  introduction: (said) =>
    `This is Parley's demo model. It runs offline and follows a few commands; it does not understand language. ` +
    `You wrote: ${quoted(said)}.\n\n` +
    `Try a line such as \`use <tool> {"…": "…"}\`, \`think <words>\`, \`long 200\`, \`slow\`, \`fail\` or ` +
    `\`json {"a": 1}\`, or ask "what did I say?". For real answers, set a key and choose a model.`,
  thought: (said) =>
    `The message is ${quoted(said)}. I look for commands in it, and answer in the same language.`,
  calling: (names) => `I call ${names.join(', ')}.`,
  answered: (name, output, isError) => `${name} ${isError ? 'failed' : 'answered'}: ${output}`,
  told: (messages) =>
    messages.length === 0
      ? 'You have not told me anything yet.'
      : `So far you told me:\n\n${numbered(messages)}`,
  done: 'Done.',
  filler:
    'The demo model goes on and on so that you can see how a long answer looks while it comes in .'.split(
      ' ',
    ),
}

const chinese: DemoWords = {
  introduction: (said) =>
    `这是 Parley 的演示模型。它离线运行，只认识几条命令，并不真正理解语言。你写的是：${quoted(said)}。\n\n` +
    `可以试试单独一行的命令：\`调用 <工具> {"…": "…"}\`、\`思考 <内容>\`、\`长文 200\`、\`慢\`、\`失败\`、\`json {"a": 1}\`，` +
    `或者问“我说了什么？”。想要真正的回答，请设置密钥并选择模型。`,
  thought: (said) => `用户的消息是${quoted(said)}。我在其中寻找命令，并用同一种语言回答。`,
  calling: (names) => `我来调用 ${names.join('、')}。`,
  answered: (name, output, isError) => `${name} ${isError ? '出错了' : '的结果'}：${output}`,
  told: (messages) =>
    messages.length === 0 ? '你还没有告诉我任何事情。' : `到目前为止你告诉我：\n\n${numbered(messages)}`,
  done: '完成。',
  filler: Array.from('演示模型一直说下去，让你看看长长的回答是怎样一点一点出现的。'),
}

export const quoted = (text: string) => `“${cut(text, 200)}”`

const numbered = (messages: string[]) =>
  messages.map((message, index) => `${index + 1}. ${message.replace(/\s+/g, ' ').slice(0, 200)}`).join('\n')
