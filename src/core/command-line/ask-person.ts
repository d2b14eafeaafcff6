import type { Approvals } from '../approvals/operations.ts'
import type { Approval, DecideApproval } from '../protocol/approval.ts'
import { inputTexts, sizeOf, touchedBy, type PreviewTexts } from '../protocol/ask-texts.ts'
import type { MessageReader } from './message-reader.ts'
import { printProgress } from './output.ts'
import { exact, joinLines, oneLine, type Shown } from './printable.ts'

/** The letter for it is in brackets. */
type Offer = [words: string, answer: Omit<DecideApproval, 'scope'>]

const yes = { decision: 'approve' } as const
const always = { ...yes, remember: 'session' } as const
const no = { decision: 'deny' } as const

/** What can be answered, without what would be refused. A remembered answer means exactly this call, unless it is widened. */
function offersFor({ kind, resources, refuses = [] }: Approval): Offer[] {
  const forGood: Offer[] = [
    ['[a]lways exactly this in this session', always],
    ...(kind === 'network_access'
      ? ([['all of this [h]ost in this session', { ...always, widen: 'host' }]] as Offer[])
      : resources.length === 0
        ? ([['every call of this [t]ool in this session', { ...always, widen: 'tool' }]] as Offer[])
        : []),
  ]
  return [
    ...(refuses.includes('approve') ? [] : ([['[y]es', yes]] as Offer[])),
    ...(refuses.includes('remember') || kind === 'question' ? [] : forGood),
    ['[n]o', no],
  ]
}

/** Asks at the terminal whether a call may be made; what somebody else decided meanwhile counts. */
export async function askPerson(
  approvals: Approvals,
  terminal: Pick<MessageReader, 'question'>,
  id: string,
  scope: string | undefined,
  previews?: PreviewTexts,
): Promise<void> {
  try {
    const approval = await approvals.get(id, { scope })
    printProgress(describeApproval(approval, previews))
    const offers = offersFor(approval)
    const line = await terminal.question(`allow it? ${offers.map(([words]) => words).join(', ')}: `)
    const letter = line.trim().toLowerCase().charAt(0)
    const [, answer] = offers.find(([words]) => words.includes(`[${letter}]`)) ?? ['', no]
    await approvals.decide(id, { scope, ...answer })
  } catch (error) {
    printProgress(`parley: ${(error as Error).message}`)
  }
}

/** All that a yes would let be done, and nothing left out of it. */
export function describeApproval(approval: Approval, previews?: PreviewTexts): Shown {
  const { toolName, action, kind, reason, refuses } = approval
  const touched = touchedBy(approval)
  const [only] = touched
  const isOne = touched.length === 1 && !isLong(only!)
  return joinLines([
    ['? ', oneLine(toolName), ' ', oneLine(action), ...(isOne ? [': ', exact(only!)] : [])],
    ...(isOne ? [] : touched.flatMap((text) => describeText('', text))),
    ...(kind === 'file_access' ? ['  outside the folders of the session; a yes opens them to it'] : []),
    ...(refuses?.includes('approve') ? ['  your key is bound to scopes, and may only say no to it'] : []),
    `  ${reason}`,
    ...inputTexts(approval, previews).flatMap(({ name, text }) => describeText(name, text)),
  ])
}

const isLong = (text: string) => text.length > 200 || text.includes('\n')

/** A long one shows its length before and after: its beginning may have scrolled off the screen. */
export function describeText(name: string, text: string): Shown[] {
  const title: Shown = name === '' ? '  ' : ['  ', oneLine(name), ': ']
  if (!isLong(text)) return [[title, exact(text)]]
  const { characters, lines } = sizeOf(text)
  const size = `${characters.toLocaleString('en')} characters, ${lines.toLocaleString('en')} lines`
  return [[title, `(${size})`], exact(text), [title, `(end of ${size})`]]
}
