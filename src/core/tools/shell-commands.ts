/**
 * The single commands that a shell line runs, as a rule that forbids one would write them: without quotes and
 * backslashes, one space between words, the program by its name alone. Whatever separates or wraps them counts: `;`,
 * pipes, substitutions, `sudo`, `sh -c`. What a line only decides when it runs (variables, aliases, scripts) is not in
 * its text, so no pattern can promise to see it.
 */
export function listCommands(line: string): Listed {
  const found: Found = { commands: new Set(), work: 0, isCut: false }
  collect(line, found, 0)
  return { commands: [...found.commands], isCut: found.isCut }
}

/** The same of what is sent to a shell that stays, where a text in quotes may have begun earlier. */
export function listSent(text: string): Listed {
  const readings = ['', "'", '"'].map((before) => listCommands(before + text))
  return {
    commands: [...new Set(readings.flatMap(({ commands }) => commands))],
    isCut: readings.some(({ isCut }) => isCut),
  }
}

export interface Listed {
  commands: string[]
  /** Whether there may be more of them: nobody writes such a line, but to hide something in it. */
  isCut: boolean
}

interface Found {
  commands: Set<string>
  /** Characters that were gone through. */
  work: number
  isCut: boolean
}

const maxDepth = 8
const maxCommands = 2_000
// characters, of all commands together: behind a wrapper each word may begin one
const maxWork = 3_000_000
const workOfPiece = 50

const keywords = new Set('! { } if then else elif fi do done while until for select case esac in'.split(' '))
// what follows somewhere behind their own options is a command again
const wrappers = new Set(
  (
    'sudo doas pkexec su sg gosu su-exec runuser setpriv env nohup nice ionice chrt taskset numactl choom prlimit time timeout ' +
    'stdbuf unbuffer command builtin exec eval coproc function xargs parallel find fd watch entr setsid flock script busybox ' +
    'toybox strace ltrace perf valgrind unshare nsenter chroot bwrap firejail fakeroot eatmydata systemd-run systemd-inhibit ' +
    'setarch linux32 linux64 dbus-run-session xvfb-run proxychains proxychains4 torsocks rlwrap tini dumb-init chronic ssh ' +
    'sshpass caffeinate nocorrect noglob'
  ).split(' '),
)
// they read their arguments as lines
const shells = new Set('sh bash rbash dash zsh ksh mksh ash fish eval su ssh script trap'.split(' '))

const isWrapper = (program: string) => wrappers.has(program) || /^ld(-linux|-musl|\.so)/.test(program)

function collect(line: string, found: Found, depth: number): void {
  found.work += line.length + workOfPiece
  if (depth > maxDepth || found.work > maxWork) found.isCut = true
  if (found.isCut) return
  const { commands, inner } = splitLine(line)
  for (const words of commands) {
    addCommand(words, found, depth)
    const spread = words.flatMap(spreadBraces)
    if (spread.length > words.length) addCommand(spread, found, depth)
  }
  for (const text of inner) collect(text, found, depth + 1)
}

/** `{rm,-rf,a}` is three words to some shells. */
const spreadBraces = (word: string): string[] =>
  /^\{[^{}]*,[^{}]*\}$/.test(word) ? word.slice(1, -1).split(',') : [word]

const assignment = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/

function addCommand(words: string[], found: Found, depth: number): void {
  const start = words.findIndex((word) => !keywords.has(word) && !assignment.test(word))
  if (start === -1) return
  const command = words.slice(start)
  // behind a wrapper each word could be the program that it starts
  const programs = isWrapper(nameOf(command[0]!)) ? command.length : 1
  for (let at = 0; at < programs; at++) {
    const end = command.indexOf(';', at)
    const [program = '', ...args] = command.slice(at, end === -1 ? undefined : end)
    if (program === '' || (at > 0 && program.startsWith('-'))) continue
    if (!keep([program, ...args].join(' '), found) || !keep([nameOf(program), ...args].join(' '), found))
      return
    if (!shells.has(nameOf(program))) continue
    for (const text of args) collect(text, found, depth + 1)
    // some of them join what they are given
    if (args.length > 1) collect(args.join(' '), found, depth + 1)
  }
}

/** False when it is enough. */
function keep(command: string, found: Found): boolean {
  found.work += command.length + workOfPiece
  if (found.commands.size >= maxCommands || found.work > maxWork) found.isCut = true
  else found.commands.add(command)
  return !found.isCut
}

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1)

interface Split {
  commands: string[][]
  /** Lines in substitutions, and those that a command is given to read. */
  inner: string[]
}

/** A text that follows the line, up to a line that has this word. */
interface HereText {
  end: string
  /** Whether tabs before its lines do not count. */
  isIndented: boolean
}

function splitLine(line: string): Split {
  const commands: string[][] = []
  const inner: string[] = []
  let words: string[] = []
  let word: string | undefined
  let target: string | undefined
  const hereTexts: HereText[] = []
  const endWord = () => {
    if (word === undefined) return
    if (target === undefined) words.push(word)
    else if (target === '<<<') inner.push(word)
    else if (target === '<<' || target === '<<-') hereTexts.push({ end: word, isIndented: target === '<<-' })
    target = undefined
    word = undefined
  }
  const endCommand = () => {
    endWord()
    target = undefined
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
      // before a quote the sign only means that the text may be translated
      const before = word?.endsWith('$') ? word.slice(0, -1) : (word ?? '')
      word = before + text.replaceAll('\\\n', '').replaceAll(/\\(["$`\\])/g, '$1')
      at = end
    } else if ((character === '$' || character === '<' || character === '>') && next === '(') {
      const end = endOfParentheses(line, at + 2)
      inner.push(line.slice(at + 2, end))
      word = (word ?? '') + line.slice(at, end + 1)
      at = end
    } else if (character === '`') {
      const end = endOfEscaped(line, '`', at + 1)
      inner.push(inBackquotes(line.slice(at + 1, end)))
      word = (word ?? '') + line.slice(at, end + 1)
      at = end
    } else if (character === '<' || character === '>') {
      // its number goes with it, and so does the file behind it
      if (word !== undefined && /^(\d+|\{\w+\})$/.test(word)) word = undefined
      endWord()
      const operator = /^(<<<|<<-|[<>&|]+)/.exec(line.slice(at, at + 3))![0]
      at += operator.length - 1
      target = operator
    } else if (character === '\n') {
      endCommand()
      at = skipHereTexts(line, at, hereTexts.splice(0), inner)
    } else if (/[;&|()\r]/.test(character)) {
      // to a shell it belongs to the word
      if (character === '\r' && word !== undefined && target?.startsWith('<<')) word += character
      endCommand()
    } else if (/\s/.test(character)) endWord()
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
      found.push(inBackquotes(text.slice(at + 1, end)))
      at = end
    }
  }
  return found
}

/** There a backslash is taken away before the line is read. */
const inBackquotes = (text: string): string => text.replaceAll(/\\([\\$`])/g, '$1')

/**
 * Where the last of the texts ends that begin after a line break. Quotes mean nothing in them; substitutions are run, and
 * its reader may be a shell.
 */
function skipHereTexts(line: string, from: number, texts: readonly HereText[], inner: string[]): number {
  let at = from
  for (const { end, isIndented } of texts) {
    const start = at + 1
    let stop = start
    for (at = start; at < line.length;) {
      const next = endOf(line, '\n', at)
      const read = line.slice(at, next)
      stop = at
      at = next
      if ((isIndented ? read.replace(/^\t+/, '') : read) === end) break
      stop = at
      if (at < line.length) at++
    }
    const text = line.slice(start, stop)
    inner.push(text, ...substitutionsIn(text))
  }
  return at
}

const decodeEscapes = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|(.))/gi,
    (whole, ...groups: (string | undefined)[]) => {
      const [byte, short, long, octal, other] = groups
      const hex = byte ?? short ?? long
      const code = hex === undefined ? octal && Number.parseInt(octal, 8) : Number.parseInt(hex, 16)
      if (typeof code === 'number') return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
      return other === 'n' ? '\n' : other === 't' ? '\t' : (other ?? whole)
    },
  )
