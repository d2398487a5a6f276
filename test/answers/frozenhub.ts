/** The servers of a fleet at one instant, on which nothing moves. */
import { type ApiServer, createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { createSimEnv, type SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { NAMESPACE, type Start } from '../fleet/simfleet.ts'
import { runCommand } from './command.ts'

export interface Printed {
  readonly code: number
  /** Output of `-o json`; undefined: the command has failed. */
  readonly report: unknown
}

export class FrozenHub {
  readonly env: SimEnv
  private readonly servers: ReadonlyMap<string, ApiServer>

  constructor(start: Start) {
    this.env = createSimEnv('frozen', start.at)
    this.servers = new Map(
      [...start.servers].map(([name, from]) => [name, createApiServer(this.env, { name, from })]),
    )
    for (const [name, { handle }] of this.servers) this.env.net.serve(`https://${name}.test`, handle)
  }

  /** Objects of the hub, in the namespace of the tests. */
  objects(resource: string) {
    return this.servers.get('hub')!.local.list(resource, NAMESPACE)
  }

  /** One command line, as JSON. */
  async run(...words: readonly string[]): Promise<Printed> {
    const { code, out } = await runCommand(this.env, ...words, '-o', 'json')
    return { code, report: out === '' ? undefined : JSON.parse(out) }
  }
}
