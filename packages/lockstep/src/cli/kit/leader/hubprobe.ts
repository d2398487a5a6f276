/** Whether the hub serves the kinds of this version, as far as probes ask. */
import { decodeJson } from '@lockstep/kube/client'
import { type Env, supervise } from '@lockstep/kube/env'
import { at, isArray } from '@lockstep/kube/object'
import { GROUP, VERSION } from '../../../api/apiversion.ts'
import { ownKinds } from '../../../api/registry.ts'
import type { OpenedHub } from '../hub/index.ts'

/** Milliseconds between two requests. */
const EVERY_MS = 10_000

/** Asks when a probe asks, and not more often than `EVERY_MS`: a probe gets the last known answer. */
export class HubProbe {
  private readonly env: Env
  private readonly hub: Pick<OpenedHub, 'connection'>
  private missing: readonly string[] | undefined
  private askedAt = Number.NEGATIVE_INFINITY

  constructor(env: Env, hub: Pick<OpenedHub, 'connection'>) {
    this.env = env
    this.hub = hub
  }

  /** Problem of the definitions when the hub last answered; undefined: it serves every kind. */
  problem(): string | undefined {
    const now = this.env.clock.steady()
    if (now >= this.askedAt + EVERY_MS) {
      this.askedAt = now
      supervise(this.env, () => this.ask())
    }
    const { missing } = this
    if (missing === undefined) return 'not read yet'
    return missing.length === 0
      ? undefined
      : `${missing.join(', ')} not served; apply the CRDs of this version`
  }

  private async ask(): Promise<void> {
    const request = {
      method: 'GET',
      path: `/apis/${GROUP}/${VERSION}`,
      headers: { accept: 'application/json' },
    }
    const answer = await this.hub.connection.request(request)
    if (!answer.ok) return
    const { status } = answer.value
    const body = await answer.value.text()
    if (status === 404) this.missing = ownKinds.map((k) => `${k.plural}.${GROUP}`)
    const decoded = status === 200 && body.ok ? decodeJson(body.value) : undefined
    const resources = decoded?.ok ? at(decoded.value, 'resources') : undefined
    if (!isArray(resources)) return
    const served = new Set(resources.map((r) => at(r, 'name')))
    this.missing = ownKinds.filter((k) => !served.has(k.plural)).map((k) => `${k.plural}.${GROUP}`)
  }
}
