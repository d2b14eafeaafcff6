export interface AgentTables {
  agents: AgentRow
}

export interface AgentRow {
  scope: string
  name: string
  definition: string
  created_at: number
  updated_at: number
}
