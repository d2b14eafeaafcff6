const lookEveryMs = 200

/**
 * Calls `stop` once when npm started us and is gone: `kill -9` on `npm start` would otherwise leave the server running.
 * Started by anybody else we may outlive our parent, as `nohup` and `disown` want. Answers with an undo.
 */
export function whenOrphaned(stop) {
  if (!process.env.npm_lifecycle_event) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
