/** I1: what an Inventory says of its waves, by which others are admitted, is so: all of earlier ones is there as admitted, and ready. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { at, type KubeObject } from '@lockstep/kube/object'
import { contains, sameObject, withoutCopied, withoutIgnored } from './checkfollow.ts'
import { HOOK, holds, isReady, isWait, resourceOf, waveOf } from './checkorder.ts'
import { HUB, INVENTORIES, identity, text } from './clusterhistory.ts'
import { hooksOf } from './hookhistory.ts'
import { isDelivery } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

export class WaveTracker {
  /** As the executor has written each object last; what others do to it later is no matter of revisions. */
  private readonly written = new Map<string, KubeObject>()

  check(o: OracleContext, c: CommitRecord): void {
    const id = `${c.cluster} ${c.resource} ${c.key}`
    if (isDelivery(c) && c.next) this.written.set(id, c.next)
    else if (!c.next) this.written.delete(id)
    if (c.cluster !== HUB || c.resource !== INVENTORIES || !c.next) return
    const claim = claimOf(c.next)
    if (claim === undefined || claim <= (claimOf(c.old, serialOf(c.next)) ?? Number.NEGATIVE_INFINITY)) return
    for (const m of o.bundles.admitted(c.next) ?? []) {
      const why = this.lacks(o, c.next, m, claim)
      o.tested('I1')
      if (why) o.broken('I1', `${c.key} says that its waves before ${claim} are done: ${why}`)
    }
  }

  private lacks(o: OracleContext, inventory: KubeObject, m: KubeObject, wave: number): string | undefined {
    const name = `${m.kind} ${m.metadata.name}`
    const phase = m.metadata.annotations?.[HOOK]
    if (phase !== undefined) {
      return phase.includes('PreSync') && !hasRun(inventory, m) ? `hook ${name} has not succeeded` : undefined
    }
    if (isWait(m) || waveOf(m) >= wave) return undefined
    const cluster = text(inventory, 'spec', 'clusterRef', 'name')
    const resource = resourceOf(m)
    const { namespace } =
      [...o.history.all(cluster, resource)].find((x) => sameObject(m, x))?.metadata ?? m.metadata
    const key = namespace ? `${namespace}/${m.metadata.name}` : (m.metadata.name ?? '')
    if (!holds(o, cluster, resource, key, isReady)) return `${name} is not ready`
    const written = this.written.get(`${cluster} ${resource} ${key}`)
    const wanted = withoutIgnored(o, inventory, withoutCopied(m))
    return contains(written, wanted) ? undefined : `${name} was written with other content`
  }
}

const serialOf = (inventory: KubeObject | undefined): unknown => at(inventory, 'spec', 'admitted', 'serial')

/** Of what is admitted; what is said of another admission is nobody's business. */
function claimOf(inventory: KubeObject | undefined, serial = serialOf(inventory)): number | undefined {
  const isOfIt = at(inventory, 'status', 'admittedSerial') === serial
  const said = at(inventory, 'status', 'doneBeforeWave')
  return isOfIt && said !== undefined ? Number(said) : undefined
}

const hasRun = (inventory: KubeObject, m: KubeObject): boolean =>
  hooksOf(inventory, identity(m)).some(
    (h) =>
      text(h, 'phase') === 'PreSync' &&
      text(h, 'state') === 'Succeeded' &&
      at(h, 'serial') === at(inventory, 'spec', 'admitted', 'contentSerial'),
  )
