export function TasksPanel(_: { sessionId?: string }) {
  return null
}
