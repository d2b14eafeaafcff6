export type Texts = typeof english

const english = {
  language: 'en',
  tagline: 'A self-hosted runtime and workbench for LLM conversations',
  docs: 'API documentation',
  openapi: 'OpenAPI description',
  healthLoading: 'Asking the server …',
  healthy: 'The server is healthy',
  unhealthy: 'The server does not answer',
  sessions: 'Newest sessions',
  loading: 'Loading …',
  empty: 'No sessions yet. Create one with POST /api/sessions.',
  untitled: 'Untitled',
  kinds: { interactive: 'Interactive', background: 'Background', tool: 'Tool' } as Record<string, string>,
  messages: (count: number) => (count === 1 ? '1 message' : `${count.toLocaleString('en')} messages`),
  failed: (reason: string) => `The sessions could not be loaded: ${reason}`,
  refresh: 'Refresh',
  retry: 'Try again',
  keyWanted: 'This server asks for an API key. It is kept until you close the tab.',
  keyRefused: 'The server did not accept that key.',
  key: 'API key',
  keySubmit: 'Continue',
}

const chinese: Texts = {
  language: 'zh-CN',
  tagline: '自托管的大模型对话运行时与工作台',
  docs: 'API 文档',
  openapi: 'OpenAPI 描述',
  healthLoading: '正在询问服务器……',
  healthy: '服务器运行正常',
  unhealthy: '服务器没有响应',
  sessions: '最近的会话',
  loading: '加载中……',
  empty: '还没有会话。可用 POST /api/sessions 创建一个。',
  untitled: '无标题',
  kinds: { interactive: '交互', background: '后台', tool: '工具' },
  messages: (count) => `${count.toLocaleString('zh-CN')} 条消息`,
  failed: (reason) => `无法加载会话：${reason}`,
  refresh: '刷新',
  retry: '重试',
  keyWanted: '此服务器需要 API 密钥。密钥只保留到关闭标签页为止。',
  keyRefused: '服务器没有接受这个密钥。',
  key: 'API 密钥',
  keySubmit: '继续',
}

/** Chinese for any kind of Chinese, English for everybody else. */
export function textsFor(language: string): Texts {
  return /^zh\b/i.test(language) ? chinese : english
}
