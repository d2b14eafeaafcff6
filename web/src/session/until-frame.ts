/** Waits until the next frame is drawn; answers how many milliseconds that took. */
export async function untilFrame(): Promise<number> {
  // draws nothing
  if (document.hidden) return 0
  const began = performance.now()
  const frame = new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  // a page that is hidden meanwhile has no frames
  await Promise.race([frame, new Promise((resolve) => setTimeout(resolve, 1_000))])
  return performance.now() - began
}
