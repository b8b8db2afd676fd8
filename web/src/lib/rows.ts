/** Short names for what the generated types say of a table. */
import type { Database } from './database.types'

type Tables = Database['public']['Tables']

/** A whole row of a table. */
export type Row<Name extends keyof Tables> = Tables[Name]['Row']
/** What an insert into a table may carry. */
export type Insert<Name extends keyof Tables> = Tables[Name]['Insert']
