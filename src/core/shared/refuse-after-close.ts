export interface AfterClose {
  isClosed(): boolean
  refusal(): Error
  /** Calls by name (`observers.clear`) that answer at once, and not with a promise or something to iterate. */
  synchronous: ReadonlySet<string>
  /** Members that are left as they are. */
  untouched?: ReadonlySet<string>
}

/**
 * The same object, whose calls are refused once it is closed: also those that would not notice, and those that would fail
 * somewhere deep inside. `close` itself may be called as often as one likes.
 */
export function refuseAfterClose<T extends object>(library: T, after: AfterClose): T {
  return cover(library, '', after) as T
}

const maxDepth = 2

function cover(object: object, path: string, after: AfterClose, depth = 0): object {
  const covered: PropertyDescriptorMap = {}
  for (const key of Reflect.ownKeys(object)) {
    const descriptor = Object.getOwnPropertyDescriptor(object, key)!
    const name = path === '' ? String(key) : `${path}.${String(key)}`
    const isOpen = typeof key === 'symbol' || name === 'close' || after.untouched?.has(name)
    // getters are read, not called
    covered[key as string] =
      isOpen || !('value' in descriptor)
        ? descriptor
        : { ...descriptor, value: coverValue(object, descriptor.value, name, after, depth) }
  }
  return Object.create(Object.prototype, covered) as object
}

function coverValue(owner: object, value: unknown, name: string, after: AfterClose, depth: number): unknown {
  if (typeof value === 'function') return coverCall(owner, value as Call, name, after)
  const isGroup =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isGroup && depth < maxDepth ? cover(value, name, after, depth + 1) : value
}

type Call = (...given: unknown[]) => unknown

const coverCall =
  (owner: object, call: Call, name: string, { isClosed, refusal, synchronous }: AfterClose): Call =>
  (...given) => {
    if (!isClosed()) return Reflect.apply(call, owner, given)
    if (synchronous.has(name)) throw refusal()
    return refuse(refusal())
  }

/** Whether it is awaited or iterated, it fails the same way. */
function refuse(refusal: Error): Promise<never> & AsyncIterableIterator<never> {
  const rejected = Promise.reject<never>(refusal)
  // thrown at the first iteration
  const next = () => {
    rejected.catch(() => {})
    return Promise.reject<never>(refusal)
  }
  const iterate = () => {
    rejected.catch(() => {})
    return refused
  }
  const refused = Object.assign(rejected, {
    next,
    [Symbol.asyncIterator]: iterate,
  }) as unknown as Promise<never> & AsyncIterableIterator<never>
  return refused
}
