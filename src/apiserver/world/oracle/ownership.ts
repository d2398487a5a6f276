/** I5 and I6: only what is ours is changed, and what is created was announced. */
import type { CommitRecord } from '../../trace.ts'
import type { OracleContext } from './context.ts'
import { identity, identityOfEntry, list, NONCE, text } from './history.ts'
import { hooksOf } from './hooks.ts'
import { inventoryByUid, isDelivery, ownerOf } from './unit.ts'

export function checkOwnership(o: OracleContext, c: CommitRecord): void {
  if (!isDelivery(c)) return
  if (!c.old && c.next) return void checkIntent(o, c)
  const before = ownerOf(c.old)
  const after = ownerOf(c.next)
  o.tested('I5')
  const name = `${c.cluster} ${c.resource} ${c.key}`
  if (before !== undefined && after !== undefined && before !== after)
    o.broken('I5', `${name} was taken from another Inventory`)
  if (c.next) return
  const inventory = before === undefined ? undefined : inventoryByUid(o.history, before)
  if (!inventory) return void o.broken('I5', `${name} was deleted, and belongs to no Inventory`)
  const id = identity(c.old!)
  const entries = [...list(inventory, 'spec', 'objects'), ...list(inventory, 'spec', 'intents')]
  if (!entries.some((e) => identityOfEntry(e) === id) && !hooksOf(inventory, id).length)
    o.broken('I5', `${name} was deleted, and its Inventory does not list it`)
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
