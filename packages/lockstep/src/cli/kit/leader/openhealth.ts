/** `/livez` and `/readyz` over HTTP, in the format of kube-apiserver (`apiserver/pkg/server/healthz`). */
import {
  type Handler,
  type Listening,
  type Result,
  requestTarget,
  type ServerRequest,
  type ServerResponse,
} from '@lockstep/kube/env'
import { type CliFailure, type CommandContext, type Flags, type Option, textFlag } from '../index.ts'
import { addressFlag, type ListenAddress, listenFailed } from './addressflag.ts'
import { type HealthFacts, livenessChecks, type ProbeCheck, readinessChecks } from './probechecks.ts'

const ADDRESS = 'health-address'

export const healthOptions: readonly Option[] = [
  { flags: `--${ADDRESS} <host:port>`, text: 'HTTP address of /livez and /readyz; without it none' },
]

/** Undefined: nothing is served. */
export function healthFlags(flags: Flags): Result<ListenAddress | undefined, CliFailure> {
  const address = textFlag(flags, 'healthAddress')
  return address === undefined ? { ok: true, value: undefined } : addressFlag(ADDRESS, address)
}

const LIMITS = { headerBytes: 8192, requestMs: 5000 }

export async function openHealth(
  { env }: CommandContext,
  address: ListenAddress | undefined,
  facts: () => HealthFacts,
): Promise<Result<Listening | undefined, CliFailure>> {
  if (!address) return { ok: true, value: undefined }
  const opened = await env.net.listen({ ...address, limits: LIMITS }, healthHandler(facts))
  if (!opened.ok) return listenFailed(ADDRESS, address, opened.error)
  env.log.info('serves health checks', { reason: 'Listening', address: opened.value.url })
  return opened
}

const CHECKS: Readonly<Record<string, (facts: HealthFacts) => ProbeCheck[]>> = {
  livez: livenessChecks,
  readyz: readinessChecks,
}

export const healthHandler =
  (facts: () => HealthFacts): Handler =>
  async (request) =>
    answer(request, facts)

function answer({ method, url }: ServerRequest, facts: () => HealthFacts): ServerResponse {
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'method not allowed\n')
  const { path, query } = requestTarget(url)
  const name = path.slice(1)
  const checks = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
  if (!checks) return text(404, '404 page not found\n')
  const excluded = new Set(query.getAll('exclude').filter((e) => e !== ''))
  const all = checks(facts())
  const failed = all.filter((c) => c.problem !== undefined && !excluded.has(c.name))
  if (failed.length === 0 && !query.has('verbose')) return text(200, 'ok')
  const lines = all.map((c) => lineOf(c, excluded))
  const unknown = [...excluded].filter((e) => all.every((c) => c.name !== e))
  const warning =
    unknown.length > 0 ? [`warn: no check is named ${unknown.map((u) => JSON.stringify(u)).join(', ')}`] : []
  const end = `${name} check ${failed.length === 0 ? 'passed' : 'failed'}`
  return text(failed.length === 0 ? 200 : 503, `${[...lines, ...warning, end].join('\n')}\n`)
}

function lineOf({ name, problem }: ProbeCheck, excluded: ReadonlySet<string>): string {
  if (excluded.has(name)) return `[+]${name} excluded: ok`
  return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`
}

const text = (status: number, body: string): ServerResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body,
})
