/** The address of a session, or of a message in it, as somebody else would open it. */
export function sessionLink(sessionId: string, messageId?: string): string {
  const here = location.hash.slice(1)
  const before = new URLSearchParams(here.includes('?') ? here.slice(here.indexOf('?')) : '')
  const search = new URLSearchParams()
  const scope = before.get('scope')
  if (scope !== null) search.set('scope', scope)
  if (messageId !== undefined) search.set('message', messageId)
  const query = search.size > 0 ? `?${search}` : ''
  return `${location.href.replace(/#.*$/, '')}#/sessions/${sessionId}${query}`
}
