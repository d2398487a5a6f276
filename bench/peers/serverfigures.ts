/** Figures that an API server gives about itself, and the kernel about a process. */
import { readFileSync } from 'node:fs'
import { Agent, fetch } from 'undici'
import type { RealCluster } from '../../test/real/realservers.ts'

export interface ResourceFigure {
  /** `APPLY configmaps`, `PUT modules/status`. */
  readonly what: string
  readonly requests: number
  /** Seconds that the server took for them, added up. */
  readonly seconds: number
}

export interface ServerFigures {
  readonly resources: readonly ResourceFigure[]
  /** Cumulated counts of Lease updates by their upper bound in seconds. */
  readonly leases: ReadonlyMap<number, number>
  /** Seconds of CPU that the server has used since its start. */
  readonly cpuSeconds: number
}

const UNCOUNTED: ReadonlySet<string> = new Set(['WATCH', 'CONNECT'])

export async function serverFigures(c: RealCluster): Promise<ServerFigures> {
  const dispatcher = new Agent({ connect: { ca: c.ca } })
  const answer = await fetch(`${c.url}/metrics`, {
    dispatcher,
    headers: { authorization: `Bearer ${c.token}` },
  })
  const text = await answer.text()
  await dispatcher.close()
  const found = new Map<string, { requests: number; seconds: number }>()
  const leases = new Map<number, number>()
  const cpuSeconds = Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1] ?? 0)
  for (const line of text.split('\n')) {
    const [, name, list, value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? []
    if (name === undefined || !name.startsWith('apiserver_request_duration_seconds_')) continue
    const labels = Object.fromEntries([...list!.matchAll(/(\w+)="([^"]*)"/g)].map((m) => [m[1]!, m[2]!]))
    const { verb = '', resource = '', subresource = '', le } = labels
    if (resource === 'leases' && verb === 'PUT' && name.endsWith('_bucket'))
      leases.set(Number(le), (leases.get(Number(le)) ?? 0) + Number(value))
    if (UNCOUNTED.has(verb) || name.endsWith('_bucket')) continue
    const what = `${verb} ${resource || 'other'}${subresource === '' ? '' : `/${subresource}`}`
    const { requests, seconds } = found.get(what) ?? { requests: 0, seconds: 0 }
    const isSum = name.endsWith('_sum')
    found.set(what, {
      requests: requests + (isSum ? 0 : Number(value)),
      seconds: seconds + (isSum ? Number(value) : 0),
    })
  }
  return { resources: [...found].map(([what, f]) => ({ what, ...f })), leases, cpuSeconds }
}

/** Requests and seconds between two readings, the longest first. */
export function addedFigures(before: ServerFigures, after: ServerFigures): ResourceFigure[] {
  const known = new Map(before.resources.map((f) => [f.what, f]))
  return after.resources
    .map(({ what, requests, seconds }) => ({
      what,
      requests: requests - (known.get(what)?.requests ?? 0),
      seconds: seconds - (known.get(what)?.seconds ?? 0),
    }))
    .filter((f) => f.requests > 0)
    .sort((a, b) => b.seconds - a.seconds)
}

/** The bound in seconds below which 99 % of the Lease updates between two readings ended. */
export function leaseP99(before: ServerFigures, after: ServerFigures): number | undefined {
  const counts = [...after.leases]
    .map(([bound, n]) => ({ bound, n: n - (before.leases.get(bound) ?? 0) }))
    .sort((a, b) => a.bound - b.bound)
  const all = counts.at(-1)?.n ?? 0
  return all === 0 ? undefined : counts.find(({ n }) => n >= 0.99 * all)!.bound
}

const TICKS_A_SECOND = 100

export interface ProcessFigures {
  readonly cpuSeconds: number
  readonly residentMiB: number
}

/** Undefined: where there is no /proc. */
export function processFigures(pid: number): ProcessFigures | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(status) ?? []
    return {
      cpuSeconds: (Number(stat[11]) + Number(stat[12])) / TICKS_A_SECOND,
      residentMiB: Number(kib) / 1024,
    }
  } catch {
    return undefined
  }
}
