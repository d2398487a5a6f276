import { type Command, numberFlag, textFlag } from '../../kit/index.ts'

/** `lockstep up`. */
export const upCommand: Command = {
  name: 'up',
  summary: 'Serve a fleet of embedded clusters, in memory, until interrupted',
  detail:
    'A hub and clusters in this process, over HTTP on 127.0.0.1, for kubectl too, with the controllers and simulated workloads running. Nobody is asked who they are: for this machine only.',
  options: [
    { flags: '--clusters <n>', text: 'clusters beside the hub', default: '3' },
    { flags: '--port <n>', text: 'port; 0: a free one', default: '0' },
    {
      flags: '--kubeconfig-out <file>',
      completes: 'file',
      text: 'where to write the kubeconfig',
      default: './lockstep.kubeconfig',
    },
  ],
  formats: ['table'],
  examples: [
    ['Three clusters on a free port', 'up'],
    ['Ten clusters, always at the same address', 'up --clusters 10 --port 7443'],
    ['In another terminal', 'get modules --kubeconfig ./lockstep.kubeconfig'],
  ],
  async run(c, _args, flags) {
    const clusters = numberFlag(flags, 'clusters', { min: 1, max: 500 })
    if (!clusters.ok) return clusters
    const port = numberFlag(flags, 'port', { min: 0, max: 65_535 })
    if (!port.ok) return port
    // The embedded API is large: other commands start without it.
    const { serveFleet } = await import('../../kit/localfleet/index.ts')
    const out = textFlag(flags, 'kubeconfigOut')!
    return serveFleet(c, { clusters: clusters.value, port: port.value, out })
  },
}
