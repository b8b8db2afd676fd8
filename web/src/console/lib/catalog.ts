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
  arguments: string
  returns: string
  language: string
  security_definer: boolean
  definition: string
}

export interface Catalog {
  version: string
  schemas: { name: string; exposed: boolean; platform: boolean }[]
  tables: Table[]
  functions: Routine[]
  enums: { schema: string; name: string; values: string[] }[]
  extensions: (string | { name: string; version?: string; schema?: string; installed?: boolean; comment?: string })[]
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
