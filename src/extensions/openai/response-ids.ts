/** Ids of responses and of what is in them say where they come from, so that nothing has to be stored to find it. */

/** A response is what a turn says from one request of its caller to the next: it begins after so many steps of its run. */
export interface ResponsePlace {
  runId: string
  stepsBefore: number
}

export const toResponseId = (place: ResponsePlace): string => `resp_${keyOf(place)}`

export function readResponseId(id: string): ResponsePlace | undefined {
  const [, run, steps = '0'] = /^resp_([0-9a-z]{1,120})(?:_([1-9]\d{0,6}))?$/.exec(id) ?? []
  return run === undefined ? undefined : { runId: `run_${run}`, stepsBefore: Number(steps) }
}

const keyOf = ({ runId, stepsBefore }: ResponsePlace) =>
  runId.replace(/^run_/, '') + (stepsBefore > 0 ? `_${stepsBefore}` : '')

/** `msg` for texts and `rs` for reasoning, by their place in the output. */
export const toItemId = (kind: 'msg' | 'rs', responseId: string, index: number): string =>
  `${kind}_${responseId.replace(/^resp_/, '')}_i${index}`

export interface ItemPlace {
  responseId: string
  index: number
}

export function readItemId(id: string): ItemPlace | undefined {
  const [, key, index] = /^(?:msg|rs)_([0-9a-z]+(?:_\d+)?)_i(\d{1,6})$/.exec(id) ?? []
  return key === undefined ? undefined : { responseId: `resp_${key}`, index: Number(index) }
}

/** Of an item that is a call; its `call_id` is the id of the call itself. */
export const toCallItemId = (callId: string): string => callId.replace(/^call_/, 'fc_')

export const readCallItemId = (id: string): string | undefined =>
  /^fc_[0-9a-z]{1,120}$/.test(id) ? id.replace(/^fc_/, 'call_') : undefined

export const toConversationId = (sessionId: string): string => sessionId.replace(/^ses_/, 'conv_')

/** An id that was given to a session elsewhere stands for itself. */
export const readConversationId = (id: string): string => id.replace(/^conv_/, 'ses_')
