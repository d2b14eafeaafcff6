import type { RouteContribution } from '../../src/core/http/contributions.ts'
import type { McpParley } from '../../src/extensions/mcp/server/mcp-server-deps.ts'
import type { RegisterMcp } from '../../src/extensions/mcp/server/handler.ts'
import { mcpRoutes } from '../../src/extensions/mcp/server/routes.ts'
import { anthropicRoutes } from '../../src/extensions/anthropic/routes.ts'
import { openAiRoutes } from '../../src/extensions/openai/routes.ts'
import type { EmbeddingDeps } from '../../src/extensions/openai/embeddings.ts'
import type { OpenAiDeps } from '../../src/extensions/openai/serve-turn.ts'
import { chatMessageRoutes, type ChatMessageDeps } from '../../src/extensions/plan/chat-message-routes.ts'
import { roomChatRoutes, type RoomChatDeps } from '../../src/extensions/room/room-chat-route.ts'

export type RouteServices = ChatMessageDeps &
  RoomChatDeps &
  OpenAiDeps & { embedding: EmbeddingDeps } & McpParley

/** The routes of the extensions that come with Parley, beside their operations. */
export const builtInRoutes = (
  services: RouteServices,
  /** What the MCP conformance suite calls, on the server as it is. */
  registerMcp?: RegisterMcp,
): RouteContribution[] => [
  chatMessageRoutes(services),
  roomChatRoutes(services),
  openAiRoutes(services),
  anthropicRoutes(services),
  mcpRoutes(services, registerMcp),
]
