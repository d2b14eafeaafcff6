import { tagged, type Fragment } from '../fragment.ts'

export const skills: Fragment = {
  name: 'skills',
  render: ({ activeSkills }) =>
    activeSkills.map(({ name, body }) => tagged('skill', body, ` name="${name}"`)).join('\n\n') || undefined,
}
