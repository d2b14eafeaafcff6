/**
 * What `@hono/node-server` is given for a request that was answered through its socket. Its own constant makes Node load
 * `fetch` with the program; this is made when a request needs it.
 */
export const alreadySent = (): Response => new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
