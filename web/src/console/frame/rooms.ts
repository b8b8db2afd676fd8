import { Activity, Archive, Braces, ChartLine, Clock, Database, FileClock, FolderOpen, House, KeyRound, ListChecks, type LucideIcon, Mail, Network, Radio, ScrollText, Stethoscope, SquareTerminal, Table2, Users } from 'lucide-react'

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
  { path: '/tables', name: 'Table editor', icon: Table2, group: 'Database', words: 'tables rows data', key: 't', records: true },
  { path: '/sql', name: 'SQL editor', icon: SquareTerminal, group: 'Database', words: 'query explain', key: 's' },
  { path: '/schema', name: 'Schema', icon: Network, group: 'Database', words: 'diagram policies indexes triggers functions enums extensions', key: 'd' },
  { path: '/migrations', name: 'Migrations', icon: FileClock, group: 'Database', words: 'ledger files' },
  { path: '/backups', name: 'Backups', icon: Archive, group: 'Database', words: 'restore dump' },
  { path: '/users', name: 'Users', icon: Users, group: 'Services', words: 'authentication people invite ban', key: 'u' },
  { path: '/storage', name: 'Storage', icon: FolderOpen, group: 'Services', words: 'buckets files upload', key: 'f' },
  { path: '/functions', name: 'Functions', icon: Braces, group: 'Services', words: 'edge invoke secrets deploys' },
  { path: '/schedules', name: 'Schedules', icon: Clock, group: 'Services', words: 'cron' },
  { path: '/realtime', name: 'Realtime', icon: Radio, group: 'Services', words: 'channels inspector tail' },
  { path: '/jobs', name: 'Jobs', icon: ListChecks, group: 'Services', words: 'queue dead letters retry' },
  { path: '/mail', name: 'Mail', icon: Mail, group: 'Services', words: 'letters trap inbox' },
  { path: '/reports', name: 'Reports', icon: ChartLine, group: 'Watch', words: 'sight metrics requests errors' },
  { path: '/activity', name: 'Activity', icon: Activity, group: 'Watch', words: 'connections locks slow statements' },
  { path: '/logs', name: 'Logs', icon: ScrollText, group: 'Watch', words: 'trace request id audit', key: 'l' },
  { path: '/doctor', name: 'Doctor', icon: Stethoscope, group: 'Watch', words: 'advisors findings health' },
  { path: '/keys', name: 'API keys', icon: KeyRound, group: 'Settings', words: 'secret publishable rotate', key: 'k' },
]

export const Brand = Database

/** The pages that somebody is offered. */
export function roomsFor(recordsAlone: boolean): readonly Room[] {
  return recordsAlone ? rooms.filter((room) => room.records) : rooms
}
