import { useQuery } from '@tanstack/react-query'
import { api } from './api'

export interface Column {
  name: string
  type: string
  nullable: boolean
  default: string | null
  identity: string | null
  generated: string | null
  enum: string[] | null
  comment: string | null
}

export interface ForeignKey {
  name: string
  columns: string[]
  schema: string
  table: string
  targets: string[]
  on_delete: string
}

export interface Policy {
  name: string
  command: string
  roles: string[]
  using: string | null
  check: string | null
  permissive: boolean
}

export interface Table {
  schema: string
  name: string
  kind: string
  comment: string | null
  estimate: number | null
  bytes: number | null
  rls: boolean
  forced: boolean
  columns: Column[]
  primary_key: string[]
  foreign_keys: ForeignKey[]
  referenced_by: ForeignKey[]
  indexes: { name: string; definition: string; unique: boolean }[]
  policies: Policy[]
  triggers: { name: string; definition: string; enabled: boolean | string }[]
}

export interface Routine {
  schema: string
  name: string
  kind: 'function' | 'procedure'
  arguments: string
  /** Arguments without their defaults: what tells functions of one name apart. */
  identity: string
  returns: string
  language: string
  security_definer: boolean
  definition: string
}

/** One that is there, or that the server has and could enable. */
export interface Extension {
  name: string
  version: string | null
  schema: string | null
  installed: boolean
  comment: string | null
}

export interface Publication {
  name: string
  all_tables: boolean
  events: string[]
  /** Schema and name of each. */
  tables: [string, string][]
}

export interface Role {
  name: string
  login: boolean
  superuser: boolean
  bypasses_rls: boolean
  creates_roles: boolean
  members_of: string[]
}

/** Who but its owner may do what with a table, and with single columns of it. */
export interface TableGrants {
  table: string
  owner: string
  grants: { role: string; privileges: string[] }[]
  columns: { column: string; role: string; privileges: string[] }[]
}

export interface Catalog {
  version: string
  schemas: { name: string; exposed: boolean; platform: boolean }[]
  tables: Table[]
  functions: Routine[]
  enums: { schema: string; name: string; values: string[] }[]
  extensions: Extension[]
  publications: Publication[]
  roles: Role[]
}

export function useCatalog() {
  return useQuery({ queryKey: ['catalog'], queryFn: ({ signal }) => api<Catalog>('catalog', { signal }), staleTime: 30_000 })
}

export function tableOf(catalog: Catalog | undefined, schema: string, name: string): Table | undefined {
  return catalog?.tables.find((table) => table.schema === schema && table.name === name)
}

/** Schemas that people make things in come first. */
export function orderedSchemas(catalog: Catalog): string[] {
  const rank = (schema: Catalog['schemas'][number]) => (schema.name === 'public' ? 0 : schema.platform ? 2 : 1)
  return [...catalog.schemas].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)).map((schema) => schema.name)
}
