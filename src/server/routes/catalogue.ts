import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { findFiles, listRules, listSkills, listSlashCommands, listTools } from '../../catalogue/lists.ts'
import {
  commandListSchema,
  fileListSchema,
  fileQuerySchema,
  ruleListSchema,
  skillListSchema,
  toolListSchema,
} from '../../protocol/catalogue.ts'
import { scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { json, refusals } from './responses.ts'

const tags = ['catalogue']
const query = z.strictObject({ scope: scopeSchema.optional() })

const tools = createRoute({
  method: 'get',
  path: '/api/tools',
  summary: 'The tools that models can be given',
  tags,
  request: { query },
  responses: { 200: json(toolListSchema, 'All tools, by name'), ...refusals },
})

const rules = createRoute({
  method: 'get',
  path: '/api/rules',
  summary: 'The rules that were read from disk, in the order of the prompt',
  tags,
  request: { query },
  responses: { 200: json(ruleListSchema, 'All files'), ...refusals },
})

const skills = createRoute({
  method: 'get',
  path: '/api/skills',
  summary: 'The skills of the scope and of the user',
  tags,
  request: { query },
  responses: { 200: json(skillListSchema, 'All skills, by name'), ...refusals },
})

const commands = createRoute({
  method: 'get',
  path: '/api/commands',
  summary: 'The slash commands that can be typed',
  tags,
  request: { query },
  responses: { 200: json(commandListSchema, 'All commands, by name'), ...refusals },
})

const files = createRoute({
  method: 'get',
  path: '/api/files',
  summary: 'Paths in the folder of the scope for completing what is typed after "@"',
  tags,
  request: { query: fileQuerySchema },
  responses: { 200: json(fileListSchema, 'The best matches first'), ...refusals },
})

export function catalogueRoutes(app: OpenAPIHono<AppEnv>, { catalogueDeps: deps }: ServerDeps): void {
  app.openapi(tools, async (c) => {
    callerIn(c, c.req.valid('query').scope)
    return c.json(listTools(deps), 200)
  })

  app.openapi(rules, async (c) => {
    return c.json(await listRules(deps, callerIn(c, c.req.valid('query').scope)), 200)
  })

  app.openapi(skills, async (c) => {
    return c.json(await listSkills(deps, callerIn(c, c.req.valid('query').scope)), 200)
  })

  app.openapi(commands, async (c) => {
    return c.json(await listSlashCommands(deps, callerIn(c, c.req.valid('query').scope)), 200)
  })

  app.openapi(files, async (c) => {
    const { scope, ...asked } = c.req.valid('query')
    return c.json(await findFiles(deps, callerIn(c, scope), asked), 200)
  })
}
