/** Whether somebody asked for less motion. */
export const isCalm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches
