const pad = (value: number) => String(value).padStart(2, '0')

/** `4:05`, with hours where there are some. */
export function formatLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const end = pad(seconds % 60)
  return hours > 0 ? `${hours}:${pad(minutes)}:${end}` : `${minutes}:${end}`
}
