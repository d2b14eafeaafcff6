/** Stands in for what Streamdown settles contradicting classes with: every element here has our own (`elements.tsx`). */
export const twMerge = (...classes: unknown[]) => classes.filter(Boolean).join(' ')
