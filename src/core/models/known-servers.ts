/**
 * Servers whose models and prices are in `known-models.json`, by host. An address that is not here may be anybody's, with
 * prices of its own.
 */
export const knownServers: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
  'openrouter.ai': 'openrouter',
  'api.deepseek.com': 'deepseek',
  'api.mistral.ai': 'mistral',
  'api.x.ai': 'xai',
  'api.groq.com': 'groq',
  'api.cerebras.ai': 'cerebras',
  'api.together.ai': 'together',
  'api.together.xyz': 'together',
  'api.fireworks.ai': 'fireworks',
  'inference.baseten.co': 'baseten',
  'router.huggingface.co': 'huggingface',
  'integrate.api.nvidia.com': 'nvidia',
  'api.moonshot.ai': 'moonshotai',
  'api.moonshot.cn': 'moonshotai-cn',
  'api.minimax.io': 'minimax',
  'api.minimaxi.com': 'minimax-cn',
  'api.z.ai': 'zai',
  'api.meta.ai': 'meta',
  'api.xiaomimimo.com': 'xiaomi',
}
