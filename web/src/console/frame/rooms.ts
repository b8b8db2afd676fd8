import { Activity, Archive, Braces, ChartLine, Clock, Database, FileClock, FolderOpen, House, KeyRound, ListChecks, type LucideIcon, Mail, Network, Radio, ScrollText, Settings, ShieldCheck, Stethoscope, SquareTerminal, Table2, Users } from 'lucide-react'

export interface Room {
  path: string
  name: string
  icon: LucideIcon
  group: string
  /** What else people call it, for the palette. */
  words: string
  /** After `g`. */
  key?: string
  /** For accounts that may edit records and nothing else, too. */
  records?: true
}

export const rooms: readonly Room[] = [
  { path: '/', name: 'Home', icon: House, group: '', words: 'overview connect url', key: 'h' },
  { path: '/tables', name: 'Table editor', icon: Table2, group: 'Database', words: 'tables rows data collections records browse', key: 't', records: true },
  { path: '/sql', name: 'SQL editor', icon: SquareTerminal, group: 'Database', words: 'query explain snippets console', key: 's' },
  { path: '/schema', name: 'Schema', icon: Network, group: 'Database', words: 'database diagram erd visualizer policies rls indexes triggers functions enums extensions columns publications grants roles keys', key: 'd' },
  { path: '/migrations', name: 'Migrations', icon: FileClock, group: 'Database', words: 'ledger files history' },
  { path: '/backups', name: 'Backups', icon: Archive, group: 'Database', words: 'restore dump copies' },
  { path: '/users', name: 'Users', icon: Users, group: 'Services', words: 'authentication auth people accounts invite ban sessions', key: 'u' },
  { path: '/storage', name: 'Storage', icon: FolderOpen, group: 'Services', words: 'buckets files folders upload objects', key: 'f' },
  { path: '/functions', name: 'Functions', icon: Braces, group: 'Services', words: 'edge invoke secrets deployments invocations logs' },
  { path: '/schedules', name: 'Schedules', icon: Clock, group: 'Services', words: 'cron timer' },
  { path: '/realtime', name: 'Realtime', icon: Radio, group: 'Services', words: 'channels inspector tail broadcast presence members' },
  { path: '/jobs', name: 'Jobs', icon: ListChecks, group: 'Services', words: 'queue dead letters retry resend background' },
  { path: '/mail', name: 'Mail', icon: Mail, group: 'Services', words: 'emails letters trap inbox' },
  { path: '/reports', name: 'Reports', icon: ChartLine, group: 'Watch', words: 'sight metrics observability charts requests errors p99 latency' },
  { path: '/activity', name: 'Activity', icon: Activity, group: 'Watch', words: 'database connections locks slow queries statements query performance disk replication lag' },
  { path: '/logs', name: 'Logs', icon: ScrollText, group: 'Watch', words: 'explorer trace request id', key: 'l' },
  { path: '/audit', name: 'Audit log', icon: ShieldCheck, group: 'Watch', words: 'history changes who did what' },
  { path: '/doctor', name: 'Doctor', icon: Stethoscope, group: 'Watch', words: 'advisors security performance findings health checks' },
  { path: '/keys', name: 'API keys', icon: KeyRound, group: 'Settings', words: 'secret publishable service role anon rotate revoke jwt', key: 'k' },
  { path: '/settings', name: 'Settings', icon: Settings, group: 'Settings', words: 'configuration environment variables project smtp providers' },
]

export const Brand = Database

/** The pages that somebody is offered. */
export function roomsFor(recordsAlone: boolean): readonly Room[] {
  return recordsAlone ? rooms.filter((room) => room.records) : rooms
}
