/**
 * The single commands that a shell line runs, as a rule that forbids one would write them: without quotes and
 * backslashes, one space between words, the program by its name alone. Whatever separates or wraps them counts: `;`,
 * pipes, substitutions, `sudo`, `sh -c`. What a line only decides when it runs (variables, aliases, scripts) is not in
 * its text, so no pattern can promise to see it.
 */
export function listCommands(line: string): string[] {
  const found = new Set<string>()
  collect(line, found, 0)
  return [...found]
}

const maxDepth = 8
const maxCommands = 2_000
const maxWrapped = 100

const keywords = new Set(
  '! { } if then else elif fi do done while until for select case esac in function coproc time'.split(' '),
)
// what follows somewhere behind their own options is a command again
const wrappers = new Set(
  (
    'sudo doas env nohup nice ionice chrt time timeout stdbuf command builtin exec xargs setsid busybox toybox watch ' +
    'strace ltrace flock parallel find fd unshare nsenter chroot setpriv runuser script unbuffer caffeinate nocorrect noglob'
  ).split(' '),
)
// they read their arguments as lines
const shells = new Set('sh bash dash zsh ksh mksh ash fish eval su ssh script trap'.split(' '))

function collect(line: string, found: Set<string>, depth: number): void {
  if (depth > maxDepth) return
  const { commands, inner } = splitLine(line)
  for (const words of commands) addCommand(words, found, depth)
  for (const text of inner) collect(text, found, depth + 1)
}

function addCommand(words: string[], found: Set<string>, depth: number): void {
  const start = words.findIndex((word) => !keywords.has(word) && !/^\w+\+?=/.test(word))
  if (start === -1) return
  const command = words.slice(start)
  // behind a wrapper each word could be the program that it starts
  const programs = wrappers.has(nameOf(command[0]!)) ? Math.min(command.length, maxWrapped) : 1
  for (let at = 0; at < programs; at++) {
    if (found.size >= maxCommands) return
    const end = command.indexOf(';', at)
    const [program = '', ...args] = command.slice(at, end === -1 ? undefined : end)
    if (program === '' || (at > 0 && program.startsWith('-'))) continue
    found.add([program, ...args].join(' '))
    found.add([nameOf(program), ...args].join(' '))
    if (shells.has(nameOf(program))) for (const text of args) collect(text, found, depth + 1)
  }
}

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1)

interface Split {
  commands: string[][]
  /** Lines in substitutions. */
  inner: string[]
}

function splitLine(line: string): Split {
  const commands: string[][] = []
  const inner: string[] = []
  let words: string[] = []
  let word: string | undefined
  let isTarget = false
  const endWord = () => {
    if (word !== undefined && !isTarget) words.push(word)
    if (word !== undefined) isTarget = false
    word = undefined
  }
  const endCommand = () => {
    endWord()
    isTarget = false
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    const next = line[at + 1]
    if (character === '\\') {
      if (next !== '\n') word = (word ?? '') + (next ?? '')
      at++
    } else if (character === "'") {
      const end = endOf(line, "'", at + 1)
      word = (word ?? '') + line.slice(at + 1, end)
      at = end
    } else if (character === '$' && next === "'") {
      const end = endOfEscaped(line, "'", at + 2)
      word = (word ?? '') + decodeEscapes(line.slice(at + 2, end))
      at = end
    } else if (character === '"') {
      const end = endOfQuoted(line, at + 1)
      const text = line.slice(at + 1, end)
      inner.push(...substitutionsIn(text))
      word = (word ?? '') + text.replaceAll(/\\(["$`\\\n])/g, '$1')
      at = end
    } else if ((character === '$' || character === '<' || character === '>') && next === '(') {
      const end = endOfParentheses(line, at + 2)
      inner.push(line.slice(at + 2, end))
      word = (word ?? '') + line.slice(at, end + 1)
      at = end
    } else if (character === '`') {
      const end = endOfEscaped(line, '`', at + 1)
      inner.push(line.slice(at + 1, end))
      word = (word ?? '') + line.slice(at, end + 1)
      at = end
    } else if (character === '<' || character === '>') {
      // its number goes with it, and so does the file behind it
      if (word !== undefined && /^\d+$/.test(word)) word = undefined
      endWord()
      while (/[<>&|]/.test(line[at + 1] ?? '')) at++
      isTarget = true
    } else if (/[;&|()\n\r]/.test(character)) endCommand()
    else if (/\s/.test(character)) endWord()
    else if (character === '#' && word === undefined) at = endOf(line, '\n', at) - 1
    else word = (word ?? '') + character
  }
  endCommand()
  return { commands, inner }
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at
}

function endOfEscaped(text: string, mark: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === mark) return at
  }
  return text.length
}

function endOfQuoted(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '$' && text[at + 1] === '(') at = endOfParentheses(text, at + 2)
    else if (text[at] === '`') at = endOfEscaped(text, '`', at + 1)
    else if (text[at] === '"') return at
  }
  return text.length
}

function endOfParentheses(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === "'") at = endOf(text, "'", at + 1)
    else if (character === '"') at = endOfEscaped(text, '"', at + 1)
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at
  }
  return text.length
}

/** Of a text in double quotes, where nothing else has a meaning. */
function substitutionsIn(text: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '$' && text[at + 1] === '(') {
      const end = endOfParentheses(text, at + 2)
      found.push(text.slice(at + 2, end))
      at = end
    } else if (text[at] === '`') {
      const end = endOfEscaped(text, '`', at + 1)
      found.push(text.slice(at + 1, end))
      at = end
    }
  }
  return found
}

const decodeEscapes = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|(.))/gi,
    (whole, byte?: string, short?: string, long?: string, octal?: string, other?: string) => {
      const hex = byte ?? short ?? long
      const code = hex === undefined ? octal && Number.parseInt(octal, 8) : Number.parseInt(hex, 16)
      if (typeof code === 'number') return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
      return other === 'n' ? '\n' : other === 't' ? '\t' : (other ?? whole)
    },
  )
