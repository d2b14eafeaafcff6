import { tagged, type Fragment } from '../fragment.ts'

export const skills: Fragment = {
  name: 'skills',
  render: ({ activeSkills }) =>
    activeSkills
      .map(({ name, body }) => tagged('skill', body, { attributes: ` name="${name}"` }))
      .join('\n\n') || undefined,
}
