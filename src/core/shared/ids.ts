import type { Clock } from './clock.ts'

/** Makes ids such as `ses_01k9…`: they sort by creation time and cannot be guessed. */
export interface Ids {
  next(prefix: string): string
}

// Crockford base 32: no letters that are mistaken for digits
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 48 bits of time, then 80 random bits, as in ULID; ids made in one millisecond still sort by creation. */
export function createIds(clock: Clock): Ids {
  let lastTime = 0
  let random = new Uint8Array(16)
  // drawn from the system in one go for many ids, which costs as much as for one
  const pool = new Uint8Array(16 * 256)
  let used = pool.length
  const draw = () => {
    if (used === pool.length) {
      crypto.getRandomValues(pool)
      used = 0
    }
    return pool.slice(used, (used += 16)).map((byte) => byte & 31)
  }
  return {
    next(prefix) {
      const time = Math.max(clock.now(), lastTime)
      if (time === lastTime) increment(random)
      else random = draw()
      lastTime = time
      return `${prefix}_${encodeTime(time)}${encodeDigits(random)}`
    },
  }
}

function encodeTime(time: number): string {
  let text = ''
  for (let rest = time, place = 0; place < 10; place++, rest = Math.floor(rest / 32))
    text = alphabet[rest % 32] + text
  return text
}

function encodeDigits(digits: Uint8Array): string {
  let text = ''
  for (const digit of digits) text += alphabet[digit]
  return text
}

function increment(digits: Uint8Array): void {
  for (let place = digits.length - 1; place >= 0; place--) {
    digits[place] = (digits[place]! + 1) & 31
    if (digits[place] !== 0) return
  }
}
