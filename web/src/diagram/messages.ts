/** To the frame that draws. */
export interface DiagramRequest {
  type: 'draw'
  code: string
  theme: 'light' | 'dark'
}

/** From the frame. */
export type DiagramAnswer = { type: 'ready' } | { type: 'drawn'; height: number } | { type: 'failed' }
