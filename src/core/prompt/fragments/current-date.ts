import { tagged, type Fragment } from '../fragment.ts'

/** Changes once a day, so that it is sent once a day; a time would be another one with every turn. */
export const currentDate: Fragment = {
  name: 'current_date',
  render: ({ today }) => tagged('current_date', today),
}
