/** Neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether a value is of a class by its chain of prototypes, or of the same class in another copy of Parley: the program and an
 * extension that it loads have one each.
 */
export const isOfClass = (
  value: unknown,
  { prototype, name }: { prototype: object; name: string },
): boolean =>
  Object.prototype.isPrototypeOf.call(prototype, value as object) ||
  (value instanceof Error && value.name === name)
