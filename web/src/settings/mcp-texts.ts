import type { McpServerStatus } from '../../../src/client/index.ts'
import { defineTexts } from '../app/texts.ts'

type States = Record<McpServerStatus['state'], string>

export const mcpTexts = defineTexts(
  {
    intro:
      'Servers whose tools models may use. They are set in the configuration file of whoever runs Parley, and nowhere else: nothing here, in a project or said by a model can add one.',
    list: 'MCP servers',
    none: 'No server is set up.',
    lookAgain: 'Look again',
    states: {
      ready: 'Connected',
      starting: 'Starting',
      idle: 'Not needed yet',
      failed: 'Failed',
      disabled: 'Off',
    } satisfies States as States,
    transports: { stdio: 'program', http: 'HTTP' },
    idleHint: 'It is started when a turn first needs it. What it offers is known then.',
    retryHint: 'It is tried again when a turn needs it.',
    reasonHidden: 'The reason is shown to keys that are not bound to scopes.',
    tools: (count: number) => (count === 1 ? '1 tool' : `${count} tools`),
    tokens: (count: string) => `about ${count} tokens`,
    noTools: 'It offers no tools.',
    withheld: 'Withheld',
    deferred:
      'Deferred: their descriptions would take more than a tenth of the window, so models find tools by mcp_search and call them by mcp_call.',
    described: 'Each tool is described to models; none is deferred.',
    groupOff: 'The group “MCP servers” is off in this scope: models are offered none of these tools.',
    groupLink: 'Tools and permissions',
    addTitle: 'Add a server',
    addText: 'In ~/.config/parley/config.yaml, read when Parley starts:',
    copySnippet: 'Copy the example',
    docs: 'Every field is described in docs/mcp.md.',
  },
  {
    intro:
      '模型可以使用这些服务器提供的工具。服务器只能写在运行 Parley 的用户自己的配置文件中：这里、项目文件和模型都无法添加。',
    list: 'MCP 服务器',
    none: '尚未配置服务器。',
    lookAgain: '重新查看',
    states: {
      ready: '已连接',
      starting: '正在启动',
      idle: '尚未启动',
      failed: '失败',
      disabled: '已停用',
    },
    transports: { stdio: '本地程序', http: 'HTTP' },
    idleHint: '首次有回合需要时才会启动，届时才知道它提供哪些工具。',
    retryHint: '有回合需要时会再次尝试。',
    reasonHidden: '失败原因只对未限定作用域的密钥显示。',
    tools: (count) => `${count} 个工具`,
    tokens: (count) => `约 ${count} 个 token`,
    noTools: '没有提供工具。',
    withheld: '暂不提供',
    deferred:
      '延迟加载：工具说明会占用超过窗口的十分之一，因此模型通过 mcp_search 查找工具，再用 mcp_call 调用。',
    described: '每个工具的说明都会直接提供给模型，没有延迟加载。',
    groupOff: '此作用域已关闭“MCP 服务器”分组：模型用不到这些工具。',
    groupLink: '工具与权限',
    addTitle: '添加服务器',
    addText: '写入 ~/.config/parley/config.yaml，Parley 启动时读取：',
    copySnippet: '复制示例',
    docs: '所有字段的说明见 docs/mcp.md。',
  },
)
