/** Runs of a comparison as a table for people, and as JSON for programs. */
import type { PeerRun } from './peers.ts'

const MOST_RESOURCES = 12

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!

const seconds = (ms: number): string => (ms / 1000).toFixed(2)

/** A line for each tool and part, by medians; then, of the last run of each, the seconds that requests waited for the server. */
export function peerTable(runs: readonly PeerRun[]): string {
  const groups = new Map<string, PeerRun[]>()
  for (const run of runs) {
    const name = `${run.tool}, ${run.what}`
    groups.set(name, [...(groups.get(name) ?? []), run])
  }
  const lines = [
    row('', ['writing s', 'ready s', 'requests', 'server CPU s', 'Lease p99 s', 'CPU s', 'RSS MiB']),
  ]
  for (const [name, group] of groups) {
    const of = (value: (run: PeerRun) => number): number => median(group.map(value))
    const processes = (run: PeerRun) => Object.values(run.processes).flatMap((p) => p ?? [])
    lines.push(
      row(name, [
        seconds(of((r) => r.writing)),
        seconds(of((r) => r.delivering)),
        of((r) => r.requests),
        of((r) => r.serverCpuSeconds).toFixed(1),
        group.at(-1)!.leaseP99 ?? '–',
        of((r) => processes(r).reduce((sum, p) => sum + p.cpuSeconds, 0)).toFixed(1),
        Math.round(of((r) => processes(r).reduce((sum, p) => sum + p.residentMiB, 0))),
      ]),
    )
  }
  for (const [name, group] of groups) {
    lines.push('', row(`${name}: server`, ['s', 'requests', 'ms each']))
    for (const { what, requests, seconds: s } of group.at(-1)!.resources.slice(0, MOST_RESOURCES))
      lines.push(row(`  ${what}`, [s.toFixed(2), requests, ((1000 * s) / requests).toFixed(1)]))
  }
  return lines.join('\n')
}

const row = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(44)}${cells.map((c) => String(c).padStart(12)).join('')}`
