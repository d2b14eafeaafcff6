/** Of what is drawn, in pixels. */
export const stepHeight = 58
export const laneHeight = 26
export const gapHeight = 34
export const headHeight = 34
export const padding = 14
export const margin = 20
