const paragraph =
  'A *long* answer with **bold** words, `code`, and [links](https://example.com/a) says the same over and over. '.split(
    /(?<= )/,
  )
const list = ['- first, ', 'a point\n', '- second, ', '另一个要点\n', '- third\n', '\n']
const code = [
  '```ts\n',
  'export const ',
  'answer',
  ' = ',
  '42',
  '\n',
  'console',
  '.log(answer)',
  '\n',
  '```\n',
  '\n',
]
const table = ['| name ', '| value |\n', '|---|', '---|\n', '| one ', '| 1 |\n', '| two ', '| 2 |\n', '\n']

/** So many pieces of Markdown, as a model would send them: a word or two each. */
export function* answerWords(count: number): Generator<string> {
  let left = count
  for (let block = 0; left > 0; block++) {
    const heading = ['## ', `Part ${block + 1}`, '\n\n']
    const words = [
      ...(block % 8 === 0 ? heading : []),
      ...paragraph,
      ...paragraph,
      '\n\n',
      ...(block % 3 === 1 ? list : []),
      ...(block % 5 === 2 ? code : []),
      ...(block % 7 === 3 ? table : []),
    ]
    for (const word of words.slice(0, left)) yield word
    left -= words.length
  }
}
