import type { Interface } from 'node:readline/promises'
import type { Approval, Approvals, DecideApproval } from '../protocol/approval.ts'
import { printProgress } from './output.ts'

const answers: Record<string, Omit<DecideApproval, 'scope'>> = {
  y: { decision: 'approve' },
  a: { decision: 'approve', remember: 'session' },
  n: { decision: 'deny' },
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
    const line = await terminal.question('allow it? [y]es, [a]lways in this session, [n]o: ')
    const answer = answers[line.trim().toLowerCase().charAt(0)] ?? answers.n!
    await approvals.decide(id, { scope, ...answer })
  } catch (error) {
    printProgress(`parley: ${(error as Error).message}`)
  }
}

export function describeApproval({ toolName, action, resources, reason, input }: Approval): string {
  // a plan is the resource of all that is done with it: which task it is, only the input says
  const isNamed = resources.length > 0 && toolName !== 'plan'
  const what = isNamed ? resources.join(', ') : JSON.stringify(input).slice(0, 300)
  return `? ${toolName} ${action}: ${what}\n  ${reason}`
}
