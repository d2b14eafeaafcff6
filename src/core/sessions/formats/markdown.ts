import { invalidRequest, quote } from '../../protocol/error.ts'
import { type MessageRole, messageRoles, type NewMessage, type Part } from '../../protocol/message.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { cut, toLine } from '../../shared/text.ts'
import { isObject } from '../../shared/type-checks.ts'
import { fromHeader, toHeader } from './header.ts'
import { parseJson } from './json.ts'
import type { DocumentHead, Writing } from './document.ts'
import { parseYaml, toYaml } from './yaml.ts'

/*
 * A transcript for people that can be read back exactly. After the front matter come sections, each opened by a
 * marker line that Markdown viewers do not show:
 *
 *   <!-- parley:message {…} -->    the message without its text, then its heading
 *   <!-- parley:part {…} -->       the part without its text, then the text as it is (reasoning: in a fence)
 *   <!-- parley:part json -->      the whole part as JSON in a fence
 *   <!-- parley:content text -->   the same two for a message that has `content` in place of parts
 *   <!-- parley:content json -->
 *   <!-- parley:end -->            the last line: without it the file was cut off
 *
 * Text stands between two blank lines and belongs to the message byte for byte. Where that would be ambiguous
 * (a line that looks like a marker, or CR, which editors and git rewrite) it is written as JSON.
 */
const markerStart = '<!-- parley:'
// of a name in a heading
const maxName = 100
const headings: Record<MessageRole, string> = {
  user: '## User',
  assistant: '## Assistant',
  system: '## System',
}

export function startMarkdown(head: DocumentHead, messageCount: number, rules?: DocumentRules): Writing {
  const { title } = head.session
  const front = `---\n${toYaml(toHeader(head, messageCount))}---\n`
  return {
    begin: title === '' ? front : `${front}\n# ${title}\n`,
    message: (message) =>
      writeMessage(message, rules)
        .map((section) => `\n${section}`)
        .join(''),
    end: `\n${marker('end')}\n`,
  }
}

/** Who speaks: there may be several of one role. */
function headingOf(role: MessageRole, given: unknown, rules: DocumentRules | undefined): string {
  const metadata = isObject(given) ? given : {}
  const { agent, from } = metadata
  const heading = rules?.headingOf?.(role, metadata)
  if (heading !== undefined) return `## ${heading}`
  const speaker = role === 'assistant' ? agent : role === 'user' ? from : undefined
  const name = typeof speaker === 'string' ? cut(toLine(speaker), maxName) : ''
  return name === '' ? headings[role] : `${headings[role]}: ${name}`
}

function writeMessage({ parts, content, ...rest }: NewMessage, rules: DocumentRules | undefined): string[] {
  const head = `${marker('message', rest)}\n${headingOf(rest.role, rest.metadata, rules)}\n`
  if (content === undefined) return [head, ...(parts ?? []).map(writePart)]
  return [
    head,
    isPlain(content)
      ? writeSection(marker('content', 'text'), content)
      : writeJsonSection('content', content),
  ]
}

function writePart(part: Part): string {
  const { text, ...rest } = part
  if (typeof text !== 'string' || !isPlain(text)) return writeJsonSection('part', part)
  if (part.type === 'text') return writeSection(marker('part', rest), text)
  if (part.type === 'reasoning') return writeSection(marker('part', rest), inFence('reasoning', text))
  return writeJsonSection('part', part)
}

const writeJsonSection = (kind: string, value: unknown) =>
  writeSection(marker(kind, 'json'), inFence('json', JSON.stringify(value, null, 2)))

const writeSection = (opening: string, body: string) => `${opening}\n\n${body}\n`

function marker(kind: string, payload?: object | 'text' | 'json'): string {
  const label = typeof payload === 'object' ? JSON.stringify(payload) : payload
  // in JSON these two stand only in strings; escaped, no text can close the comment
  const escaped = label?.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
  return `${markerStart}${kind}${escaped === undefined ? '' : ` ${escaped}`} -->`
}

function inFence(language: string, text: string): string {
  let fence = '```'
  for (const [run] of text.matchAll(/`{3,}/g)) if (run.length >= fence.length) fence = `${run}\``
  return `${fence}${language}\n${text}\n${fence}`
}

const isPlain = (text: string) => !text.includes('\r') && !`\n${text}`.includes(`\n${markerStart}`)

export function readMarkdown(text: string, rules?: DocumentRules): SessionDocument {
  // CR is never written as it is, so one found here was added on the way
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const frontEnd = lines.indexOf('---', 1)
  if (lines[0] !== '---' || frontEnd === -1)
    throw invalidRequest('The Markdown does not begin with front matter between two lines "---".')
  const header = parseYaml(lines.slice(1, frontEnd).join('\n'))
  return fromHeader(header, readMessages(splitSections(lines, frontEnd + 1), rules), rules)
}

type Section = { kind: string; payload: string; line: number; body: string[] }

function splitSections(lines: string[], from: number): Section[] {
  const sections: Section[] = []
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!
    if (line.startsWith(markerStart))
      sections.push({ ...readMarker(line, index + 1), line: index + 1, body: [] })
    else sections.at(-1)?.body.push(line)
  }
  const last = sections.pop()
  if (last?.kind !== 'end' || last.body.some((line) => line !== ''))
    throw invalidRequest(
      `The Markdown does not end with the line "${marker('end')}". It may have been cut off.`,
    )
  return sections
}

function readMarker(line: string, number: number): { kind: string; payload: string } {
  const match = /^<!-- parley:(message|part|content|end)(?: (.*))? -->$/s.exec(line)
  if (!match) throw invalidRequest(`Line ${number} holds an unknown or incomplete marker: ${quote(line)}.`)
  return { kind: match[1]!, payload: match[2] ?? '' }
}

type MessageDraft = { role?: unknown; parts?: unknown[]; content?: unknown }

function readMessages(sections: Section[], rules: DocumentRules | undefined): unknown[] {
  const messages: MessageDraft[] = []
  for (const section of sections) {
    const message = messages.at(-1)
    if (section.kind === 'message') messages.push(readMessage(section, rules))
    else if (section.kind === 'part' && message?.parts) message.parts.push(readPart(section))
    else if (section.kind === 'content' && message?.parts?.length === 0) {
      delete message.parts
      message.content = section.payload === 'text' ? readText(section) : readJsonFence(section)
    } else throw invalidRequest(`Line ${section.line}: a ${section.kind} marker does not belong here.`)
  }
  return messages
}

function readMessage(section: Section, rules: DocumentRules | undefined): MessageDraft {
  const fields = readPayload(section) as { role?: unknown; metadata?: unknown }
  const role = messageRoles.find((known) => known === fields.role)
  if (!role)
    throw invalidRequest(`Line ${section.line} holds a message of the unknown role ${quote(fields.role)}.`)
  const heading = headingOf(role, fields.metadata, rules)
  // files from before speakers were named have the role alone
  const isHeading =
    section.body[0] === heading ||
    section.body[0] === headings[role] ||
    (rules?.takesAnyHeading && section.body[0]?.startsWith('## '))
  if (section.body.length !== 2 || !isHeading || section.body[1] !== '')
    throw invalidRequest(
      `Line ${section.line + 1}: the heading ${quote(heading)} and a blank line belong here.`,
    )
  return { ...fields, parts: [] }
}

function readPart(section: Section): unknown {
  if (section.payload === 'json') return readJsonFence(section)
  const part = readPayload(section) as { type?: unknown }
  return { ...part, text: part.type === 'reasoning' ? readFence(section, 'reasoning') : readText(section) }
}

function readPayload(section: Section): object {
  const value = parseJson(section.payload, `The marker in line ${section.line}`)
  if (typeof value !== 'object' || value === null)
    throw invalidRequest(`The marker in line ${section.line} holds ${quote(value)} in place of an object.`)
  return value
}

function readText({ body, line }: Section): string {
  if (body.length < 3 || body[0] !== '' || body.at(-1) !== '')
    throw invalidRequest(`Line ${line + 1}: a blank line is missing before or after the text.`)
  return body.slice(1, -1).join('\n')
}

const readJsonFence = (section: Section) =>
  parseJson(readFence(section, 'json'), `The block after line ${section.line}`)

function readFence(section: Section, language: string): string {
  const lines = readText(section).split('\n')
  const fence = lines.at(-1) ?? ''
  if (lines.length < 3 || !/^`{3,}$/.test(fence) || lines[0] !== fence + language)
    throw invalidRequest(`Line ${section.line + 2}: a block fenced as "${language}" belongs here.`)
  return lines.slice(1, -1).join('\n')
}
