import { type Provider, type ProviderName } from '../../../src/client/index.ts'

/** The brand of a built-in provider; another is called what somebody has called it. */
export const providerTitle = (
  { name, isBuiltIn }: Pick<Provider, 'name' | 'isBuiltIn'>,
  brands: Readonly<Record<ProviderName, string>>,
): string => (isBuiltIn ? brands[name as ProviderName] : name)
