export function ContextPanel(_: { sessionId?: string }) {
  return null
}
