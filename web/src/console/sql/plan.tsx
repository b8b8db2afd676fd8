import { count, milliseconds } from '../lib/format'
import { Badge } from '../parts/page'

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Alias?: string
  'Plan Rows'?: number
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Total Cost'?: number
  'Actual Total Time'?: number
  Filter?: string
  'Index Cond'?: string
  'Hash Cond'?: string
  'Join Filter'?: string
  'Sort Key'?: string[]
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** EXPLAIN's answer comes as an array with one plan in it. */
export function rootOf(plan: unknown): { node: PlanNode; planning?: number; execution?: number } | null {
  const first: unknown = Array.isArray(plan) ? plan[0] : plan
  if (typeof first !== 'object' || first === null || !('Plan' in first)) return null
  const answer = first as { Plan: PlanNode; 'Planning Time'?: number; 'Execution Time'?: number }
  return { node: answer.Plan, planning: answer['Planning Time'], execution: answer['Execution Time'] }
}

/** What a node itself takes, without what is under it. */
export function ownShare(node: PlanNode): number {
  const size = (one: PlanNode) => (one['Actual Total Time'] === undefined ? (one['Total Cost'] ?? 0) : one['Actual Total Time'] * (one['Actual Loops'] ?? 1))
  return Math.max(0, size(node) - (node.Plans ?? []).reduce((sum, child) => sum + size(child), 0))
}

export function PlanTree({ plan }: { plan: unknown }) {
  const root = rootOf(plan)
  if (!root) return <p>There is no plan for this statement.</p>
  const whole = Math.max(1e-9, sumOf(root.node))
  return (
    <>
      <p className="muted">
        {root.planning === undefined ? '' : `Planning ${milliseconds(root.planning)}. `}
        {root.execution === undefined ? 'Estimated costs; analyze measures.' : `Execution ${milliseconds(root.execution)}.`}
      </p>
      <ul className="plan" aria-label="Plan">
        <Node node={root.node} whole={whole} />
      </ul>
    </>
  )
}

function sumOf(node: PlanNode): number {
  return ownShare(node) + (node.Plans ?? []).reduce((total, child) => total + sumOf(child), 0)
}

function Node({ node, whole }: { node: PlanNode; whole: number }) {
  const share = ownShare(node) / whole
  const target = [node['Relation Name'], node['Index Name']].filter(Boolean).join(' by ')
  const condition = node['Index Cond'] ?? node['Hash Cond'] ?? node['Join Filter'] ?? node.Filter ?? node['Sort Key']?.join(', ')
  const rows = node['Actual Rows'] ?? node['Plan Rows']
  return (
    <li>
      <div className={`plan-node ${share > 0.4 ? 'hot' : ''}`}>
        <div className="row">
          <strong>{node['Node Type']}</strong>
          <span className="grow">{target}</span>
          <span className="muted">{count(rows)} rows</span>
          {node['Actual Total Time'] === undefined ? <span className="muted">cost {node['Total Cost']}</span> : <span className="muted">{milliseconds(node['Actual Total Time'] * (node['Actual Loops'] ?? 1))}</span>}
          <Badge tone={share > 0.4 ? 'bad' : 'calm'}>{Math.round(share * 100)} %</Badge>
        </div>
        {condition ? <code className="break">{condition}</code> : null}
        {node['Rows Removed by Filter'] ? <p className="muted">{count(node['Rows Removed by Filter'])} rows read and thrown away</p> : null}
        <div className="plan-bar" style={{ width: `${Math.max(1, share * 100)}%` }} />
      </div>
      {node.Plans ? (
        <ul>
          {node.Plans.map((child, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <Node key={index} node={child} whole={whole} />
          ))}
        </ul>
      ) : null}
    </li>
  )
}
