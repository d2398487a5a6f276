import { resolve } from 'node:path'
import { ok, type Result } from '@lockstep/kube/env'
import { allowHostOption, allowHostsOf } from '../../kit/controllerflags/index.ts'
import { type CliFailure, type Command, failed, numberFlag, textFlag } from '../../kit/index.ts'

/** `lockstep up`. */
export const upCommand: Command = {
  name: 'up',
  summary: 'Serve embedded clusters in memory until interrupted',
  detail:
    'Serves a hub and clusters in this process, over HTTPS on 127.0.0.1, also for kubectl. The controllers and simulated workloads run. The kubeconfig has the certificate and the token of this run, with administrator rights.',
  options: [
    { flags: '--clusters <n>', text: 'clusters in addition to the hub', default: '3' },
    { flags: '--port <n>', text: 'port; 0 for a free one', default: '0' },
    {
      flags: '--kubeconfig-out <file>',
      completes: 'file',
      text: 'file to write the kubeconfig to',
      default: './lockstep.kubeconfig',
    },
    {
      flags: '--source-root <dir>',
      completes: 'file',
      text: 'folder below which file:// sources are taken',
      default: '.',
    },
    {
      flags: '--tenants <names>',
      text: 'namespaces, separated by commas, each with a context that has the role edit there',
    },
    allowHostOption,
  ],
  formats: ['table'],
  examples: [
    ['Serve three clusters on a free port', 'up'],
    ['Serve ten clusters on a fixed port', 'up --clusters 10 --port 7443'],
    ['Add two users with rights in one namespace each', 'up --tenants team-a,team-b'],
    ['Use the fleet in another terminal', 'get modules --kubeconfig ./lockstep.kubeconfig'],
  ],
  async run(c, _args, flags) {
    const clusters = numberFlag(flags, 'clusters', { min: 1, max: 500 })
    if (!clusters.ok) return clusters
    const port = numberFlag(flags, 'port', { min: 0, max: 65_535 })
    if (!port.ok) return port
    const tenants = tenantsOf(textFlag(flags, 'tenants'), clusters.value)
    if (!tenants.ok) return tenants
    const allowHosts = allowHostsOf(flags)
    if (!allowHosts.ok) return allowHosts
    // The embedded API is large: other commands start without it.
    const { serveFleet } = await import('../../kit/localfleet/index.ts')
    const out = textFlag(flags, 'kubeconfigOut')!
    const sourceRoot = resolve(c.host.cwd, textFlag(flags, 'sourceRoot')!)
    return serveFleet(c, {
      clusters: clusters.value,
      port: port.value,
      tenants: tenants.value,
      out,
      sourceRoot,
      allowHosts: allowHosts.value,
    })
  },
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** The account of Modules in `platform` may write all of the hub. */
const TAKEN = new Set(['hub', 'platform', 'default', 'lockstep-system'])

/** A namespace is also the name of its context: it differs from those of the servers. */
function tenantsOf(text: string | undefined, clusters: number): Result<readonly string[], CliFailure> {
  const names = [...new Set((text ?? '').split(',').map((n) => n.trim()))].filter((n) => n !== '')
  const isTaken = (name: string): boolean =>
    TAKEN.has(name) ||
    name.startsWith('kube-') ||
    Array.from({ length: clusters }, (_, i) => `cluster-${i + 1}`).includes(name)
  const misnamed = names.find((n) => !NAME.test(n))
  if (misnamed !== undefined)
    return failed('E_USAGE', {
      problem: `--tenants: ${JSON.stringify(misnamed)} is not the name of a namespace`,
      suggestion: 'for example: lockstep up --tenants team-a,team-b',
    })
  const taken = names.find(isTaken)
  return taken === undefined
    ? ok(names)
    : failed('E_USAGE', {
        problem: `--tenants: ${taken} is a namespace or context of the fleet`,
        suggestion: 'for example: lockstep up --tenants team-a,team-b',
      })
}
