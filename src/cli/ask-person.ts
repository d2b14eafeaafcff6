import type { Interface } from 'node:readline/promises'
import type { Approval, Approvals, DecideApproval } from '../protocol/approval.ts'
import { inputTexts, sizeOf, touchedBy } from '../protocol/ask-texts.ts'
import { printProgress } from './output.ts'
import { exact, joinLines, oneLine, type Shown } from './shown.ts'

const answers: Record<string, Omit<DecideApproval, 'scope'>> = {
  y: { decision: 'approve' },
  a: { decision: 'approve', remember: 'session' },
  h: { decision: 'approve', remember: 'session', widen: 'host' },
  t: { decision: 'approve', remember: 'session', widen: 'tool' },
  n: { decision: 'deny' },
}

/** An answer for good means exactly this call, unless the person takes one that says more. */
function questionAbout({ kind, resources }: Approval): string {
  const wider =
    kind === 'network_access'
      ? ', all of this [h]ost in this session'
      : resources.length === 0
        ? ', every call of this [t]ool in this session'
        : ''
  return `allow it? [y]es, [a]lways exactly this in this session${wider}, [n]o: `
}

/** Asks at the terminal whether a call may be made; what somebody else decided meanwhile counts. */
export async function askPerson(
  approvals: Approvals,
  terminal: Interface,
  id: string,
  scope: string | undefined,
): Promise<void> {
  try {
    const approval = await approvals.get(id, { scope })
    printProgress(describeApproval(approval))
    const line = await terminal.question(questionAbout(approval))
    const answer = answers[line.trim().toLowerCase().charAt(0)] ?? answers.n!
    await approvals.decide(id, { scope, ...answer })
  } catch (error) {
    printProgress(`parley: ${(error as Error).message}`)
  }
}

/** All that a yes would let be done, and nothing left out of it. */
export function describeApproval(approval: Approval): Shown {
  const { toolName, action, kind, reason } = approval
  const touched = touchedBy(approval)
  const [only] = touched
  const isOne = touched.length === 1 && !isLong(only!)
  return joinLines([
    ['? ', oneLine(toolName), ' ', oneLine(action), ...(isOne ? [': ', exact(only!)] : [])],
    ...(isOne ? [] : touched.flatMap((text) => describeText('', text))),
    ...(kind === 'file_access' ? ['  outside the folders of the session; a yes opens them to it'] : []),
    `  ${reason}`,
    ...inputTexts(approval).flatMap(({ name, text }) => describeText(name, text)),
  ])
}

const isLong = (text: string) => text.length > 200 || text.includes('\n')

/** A long one says how long it is, before and after: its beginning may have left the screen. */
function describeText(name: string, text: string): Shown[] {
  const title: Shown = name === '' ? '  ' : ['  ', oneLine(name), ': ']
  if (!isLong(text)) return [[title, exact(text)]]
  const { characters, lines } = sizeOf(text)
  const size = `${characters.toLocaleString('en')} characters, ${lines.toLocaleString('en')} lines`
  return [[title, `(${size})`], exact(text), [title, `(end of ${size})`]]
}
