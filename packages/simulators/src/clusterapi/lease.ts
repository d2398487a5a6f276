/** Leader election as client-go does it: who holds the Lease works; it is not given back at the end. */
import { sleep } from '@lockstep/kube/env'
import { at, type JsonObject, microTimestamp } from '@lockstep/kube/object'
import { isReason, type UpstreamClient } from './upstreamclient.ts'

export const LEASE_NAMESPACE = 'capi-system'
export const LEASE = 'controller-leader-election-capi'
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${LEASE_NAMESPACE}/leases`

/** `--leader-elect-lease-duration`, `-renew-deadline`, `-retry-period`. */
const DURATION_S = 15
const DEADLINE_MS = 10_000
const RETRY_MS = 2000

/** Calls `won` when this process leads; resolves when it has lost the Lease again, which ends the manager. */
export async function lead(client: UpstreamClient, identity: string, won: () => void): Promise<void> {
  const { env, isDead } = client.life
  const elector = new Elector(client, identity)
  let renewedAt: number | undefined
  while (!isDead()) {
    const holds = await elector.attempt().catch(() => false)
    const now = env.clock.steady()
    if (holds && renewedAt === undefined) won()
    if (holds) renewedAt = now
    else if (renewedAt !== undefined && now - renewedAt >= DEADLINE_MS) return
    await sleep(env.clock, RETRY_MS)
  }
}

class Elector {
  private readonly client: UpstreamClient
  private readonly identity: string
  /** The last record, and when it was first seen: clocks of others are not trusted. */
  private seen = { version: '', at: 0 }

  constructor(client: UpstreamClient, identity: string) {
    this.client = client
    this.identity = identity
  }

  async attempt(): Promise<boolean> {
    const { clock } = this.client.life.env
    const lease = await this.read()
    const now = microTimestamp(clock.now())
    const mine = { holderIdentity: this.identity, leaseDurationSeconds: DURATION_S, renewTime: now }
    if (!lease) {
      await this.write('POST', PATH, { acquireTime: now, leaseTransitions: 0, ...mine }, { name: LEASE })
      return true
    }
    const version = String(at(lease, 'metadata', 'resourceVersion'))
    if (version !== this.seen.version) this.seen = { version, at: clock.steady() }
    const holder = String(at(lease, 'spec', 'holderIdentity') ?? '')
    const isHeld = holder !== '' && clock.steady() - this.seen.at < DURATION_S * 1000
    if (holder !== this.identity && isHeld) return false
    const transitions = Number(at(lease, 'spec', 'leaseTransitions') ?? 0)
    const kept = { acquireTime: at(lease, 'spec', 'acquireTime') ?? now, leaseTransitions: transitions }
    const taken = { acquireTime: now, leaseTransitions: transitions + 1 }
    const spec = { ...(holder === this.identity ? kept : taken), ...mine }
    await this.write('PUT', `${PATH}/${LEASE}`, spec, lease.metadata as JsonObject)
    return true
  }

  private async read(): Promise<JsonObject | undefined> {
    try {
      return await this.client.aside('GET', `${PATH}/${LEASE}`)
    } catch (e) {
      if (isReason(e, 'NotFound')) return undefined
      throw e
    }
  }

  private async write(method: string, path: string, spec: JsonObject, metadata: JsonObject): Promise<void> {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
    await this.client.aside(method, path, {
      ...lease,
      metadata: { namespace: LEASE_NAMESPACE, ...metadata },
      spec,
    })
  }
}
