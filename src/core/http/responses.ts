import type { z } from 'zod'
import { errorBodySchema } from './error-body.ts'

export const problem = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBodySchema } },
})

/** What any route may answer when it refuses. */
export const refusals = {
  400: problem('The request is not valid; nothing was changed'),
  401: problem('The API key is missing or wrong'),
  403: problem('The key or the origin has no access'),
  404: problem('Not found in this scope'),
}

export const conflicts = {
  ...refusals,
  409: problem('Conflicts with what is stored'),
  422: problem('The Idempotency-Key was used for something else'),
}

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
})

/** Goes with `optionalBody`. */
export const optionalJsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  ...jsonBody(schema),
  required: false,
})
