/** I5 and I6: only what is ours is changed, and what is created was announced. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { KubeObject } from '@lockstep/kube/object'
import { isTransfer } from './checkfollow.ts'
import { HUB, identity, identityOfEntry, list, NONCE, REVISIONS, text } from './clusterhistory.ts'
import { hooksOf } from './hookhistory.ts'
import { inventoryByUid, isDelivery, mark, ownerOf } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

export function checkOwnership(o: OracleContext, c: CommitRecord): void {
  if (!isDelivery(c)) return
  if (!c.old && c.next) return void checkIntent(o, c)
  const before = ownerOf(c.old)
  const after = ownerOf(c.next)
  o.tested('I5')
  const name = `${c.cluster} ${c.resource} ${c.key}`
  if (before !== undefined && after !== undefined && before !== after && !isTaken(o, c, before, after))
    o.broken('I5', `${name} was taken from another Inventory`)
  if (c.next) return
  const inventory = before === undefined ? undefined : inventoryByUid(o.history, before)
  if (!inventory) return void o.broken('I5', `${name} was deleted, and belongs to no Inventory`)
  const id = identity(c.old!)
  const entries = [...list(inventory, 'spec', 'objects'), ...list(inventory, 'spec', 'intents')]
  if (!entries.some((e) => identityOfEntry(e) === id) && !hooksOf(inventory, id).length)
    o.broken('I5', `${name} was deleted, and its Inventory does not list it`)
}

const LETTERS: Readonly<Record<string, string>> = {
  Module: 'm',
  BootstrapModule: 'b',
  ClusterResourceSet: 's',
}

const isTaken = (o: OracleContext, c: CommitRecord, before: string, after: string): boolean =>
  isTransfer(o, c) || isTakeable(o, c.old, before, after)

/** Of a unit that is listed; somebody may have taken the label off, and then what no Inventory has is nobody's. */
function isTakeable(o: OracleContext, old: KubeObject | undefined, before: string, after: string): boolean {
  const unit = mark(old) ?? unitOf(inventoryByUid(o.history, before))
  return unit === undefined || isListed(o, after, unit)
}

function unitOf(inventory: KubeObject | undefined): string | undefined {
  const { namespace } = inventory?.metadata ?? {}
  const [kind, name] = ['kind', 'name'].map((f) => text(inventory, 'spec', 'moduleRef', f))
  return inventory && `${LETTERS[kind!]}.${namespace}.${name}`
}

/** The revision that is admitted there says that this unit's objects are to be taken over. */
function isListed(o: OracleContext, uid: string, unit: string | undefined): boolean {
  const inventory = inventoryByUid(o.history, uid)
  const { namespace = '' } = inventory?.metadata ?? {}
  const revision = text(inventory, 'spec', 'admitted', 'revision')
  for (const r of o.history.all(HUB, REVISIONS)) {
    if (r.metadata.namespace !== namespace || text(r, 'data', 'revision') !== revision) continue
    const listed = list(r, 'data', 'spec', 'apply', 'takeOverFrom')
    if (listed.some((f) => `${LETTERS[text(f, 'kind')]}.${namespace}.${text(f, 'name')}` === unit))
      return true
  }
  return false
}

function checkIntent(o: OracleContext, c: CommitRecord): void {
  o.tested('I6')
  const inventory = inventoryByUid(o.history, ownerOf(c.next) ?? '')
  const id = identity(c.next!)
  const nonce = c.next!.metadata.annotations?.[NONCE]
  const intents = list(inventory, 'spec', 'intents').filter((i) => identityOfEntry(i) === id)
  const announced = [...intents, ...hooksOf(inventory, id)]
  const name = `${c.cluster} ${c.resource} ${c.key}`
  if (announced.length === 0) o.broken('I6', `${name} was created without a recorded intent`)
  else if (!announced.some((i) => text(i, 'nonce') === nonce))
    o.broken('I6', `${name} was created with another nonce than its intent's`)
}
