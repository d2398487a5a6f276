import { resolve } from 'node:path'
import { allowHostOption, allowHostsOf } from '../../kit/controllerflags/index.ts'
import { type Command, numberFlag, textFlag } from '../../kit/index.ts'

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
    allowHostOption,
  ],
  formats: ['table'],
  examples: [
    ['Serve three clusters on a free port', 'up'],
    ['Serve ten clusters on a fixed port', 'up --clusters 10 --port 7443'],
    ['Use the fleet in another terminal', 'get modules --kubeconfig ./lockstep.kubeconfig'],
  ],
  async run(c, _args, flags) {
    const clusters = numberFlag(flags, 'clusters', { min: 1, max: 500 })
    if (!clusters.ok) return clusters
    const port = numberFlag(flags, 'port', { min: 0, max: 65_535 })
    if (!port.ok) return port
    const allowHosts = allowHostsOf(flags)
    if (!allowHosts.ok) return allowHosts
    // The embedded API is large: other commands start without it.
    const { serveFleet } = await import('../../kit/localfleet/index.ts')
    const out = textFlag(flags, 'kubeconfigOut')!
    const sourceRoot = resolve(c.host.cwd, textFlag(flags, 'sourceRoot')!)
    return serveFleet(c, {
      clusters: clusters.value,
      port: port.value,
      out,
      sourceRoot,
      allowHosts: allowHosts.value,
    })
  },
}
