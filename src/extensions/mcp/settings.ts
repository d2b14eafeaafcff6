import { z } from 'zod'
import { defineSettings } from '../../core/settings/settings-slice.ts'
import { maskFields, maskText, maskUrl } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import { expandVariables, folder, headers, onOff, wholeNumber } from '../../core/settings/values.ts'

const variables = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'a name of a variable'),
  z.string('a text'),
  'a mapping of variables',
)
const mcpCommon = { disabled: onOff.optional(), timeout: wholeNumber(100, 3_600_000).optional() }
const mcpServerError = 'a mapping with a command, or with type: http and a url'
// the names of tools are made of it, with "__" around it
const mcpNameError = 'a name of 1 to 32 letters, digits, "-" and single "_" between them'
const mcpServers = z.record(
  z
    .string()
    .max(32, mcpNameError)
    .regex(/^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/, mcpNameError),
  z.union(
    [
      z.strictObject({
        type: z.literal('stdio').optional(),
        command: z.string('a program').min(1, 'a program'),
        args: z.array(z.string('a text'), 'a list of arguments').optional(),
        env: variables.optional(),
        cwd: folder.optional(),
        ...mcpCommon,
      }),
      z.strictObject({
        type: z.literal('http'),
        // may hold a variable, so it is a URL only once that is filled in
        url: z.string('a URL').regex(/^(https?:\/\/|\$\{)/, 'an http:// or https:// URL'),
        headers: headers.optional(),
        ...mcpCommon,
      }),
    ],
    mcpServerError,
  ),
  'a mapping of MCP servers by name',
)
type McpServers = z.infer<typeof mcpServers>

/** Fills in variables in any text of a server. */
function expandServers(servers: McpServers, env: Readonly<Record<string, string | undefined>>): McpServers {
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') return expandVariables(value, env)
    if (Array.isArray(value)) return value.map(expand)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]))
  }
  return expand(servers) as McpServers
}

/** MCP servers as they may be shown: variables and headers are where people put keys, arguments too. */
function maskServers<Servers extends Record<string, object>>(servers: Servers): Record<string, object> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      {
        ...server,
        ...('args' in server && { args: (server.args as string[]).map(maskText) }),
        ...('env' in server && { env: maskFields(server.env as Record<string, string>) }),
        ...('headers' in server && { headers: maskFields(server.headers as Record<string, string>) }),
        ...('url' in server && { url: maskUrl(server.url as string) }),
      },
    ]),
  )
}

export const mcpSettings = defineSettings({
  listedAfter: 'window',
  toOptions: (config) => ({ mcpServers: config.mcpServers }),
  table: {
    mcpServers: setting(mcpServers, {
      description:
        'MCP servers whose tools models may use, by name: `{command, args, env, cwd}` or `{type: http, url, headers}`. ' +
        'Only in your own file.',
      default: {},
      secret: true,
      mask: maskServers,
      byName: true,
      resolve: (servers, toPath, env) =>
        Object.fromEntries(
          Object.entries(expandServers(servers, env)).map(([name, server]) => [
            name,
            'cwd' in server && server.cwd !== undefined ? { ...server, cwd: toPath(server.cwd) } : server,
          ]),
        ),
    }),
  },
})
