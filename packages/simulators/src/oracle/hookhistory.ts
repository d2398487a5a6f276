/** I17: a hook succeeds at most once for what is delivered, or for each time it is told to leave, and no attempt of it is made twice. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { JsonValue, KubeObject } from '@lockstep/kube/object'
import { INVENTORIES, identity, list, NONCE, text } from './clusterhistory.ts'
import { isDelivery } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

const RETRY = 'lockstep.dev/retry-hooks'

/** What has succeeded, and what was made, over the whole trace. */
export class HookHistory {
  private readonly succeeded = new Set<string>()
  private readonly made = new Set<string>()

  check(o: OracleContext, c: CommitRecord): void {
    if (c.resource === INVENTORIES && c.next) this.checkResults(o, c.next, c.old)
    if (isDelivery(c) && c.next && !c.old) this.checkCreate(o, c)
  }

  private checkResults(o: OracleContext, next: KubeObject, old: KubeObject | undefined): void {
    const isAsked = old?.metadata.annotations?.[RETRY] !== undefined
    const keyOf = (hook: JsonValue): string =>
      `${next.metadata.uid} ${hookId(hook)} ${String((hook as { serial?: unknown }).serial)}`
    const stays = isLeaving(old) && !isLeaving(next)
    if (stays)
      for (const hook of list(old, 'spec', 'hooks'))
        if (text(hook, 'phase') === 'PreDelete') this.succeeded.delete(keyOf(hook))
    if (isAsked) for (const hook of list(old, 'spec', 'hooks')) this.succeeded.delete(keyOf(hook))
    for (const hook of list(next, 'spec', 'hooks')) {
      const key = keyOf(hook)
      const before = list(old, 'spec', 'hooks').find((h) => hookId(h) === hookId(hook))
      const isEnd = text(hook, 'state') === 'Succeeded' && text(before, 'state') !== 'Succeeded'
      if (!isEnd) continue
      o.tested('I17')
      if (this.succeeded.has(key)) o.broken('I17', `hook ${hookId(hook)} has succeeded twice`)
      this.succeeded.add(key)
    }
  }

  private checkCreate(o: OracleContext, c: CommitRecord): void {
    const nonce = c.next!.metadata.annotations?.[NONCE] ?? ''
    const isHook = [...o.history.all('hub', INVENTORIES)].some((i) =>
      list(i, 'spec', 'hooks').some((h) => text(h, 'nonce') === nonce),
    )
    if (!isHook) return
    o.tested('I17')
    if (this.made.has(nonce)) o.broken('I17', `${c.cluster} ${c.resource} ${c.key} was made twice`)
    this.made.add(nonce)
  }
}

const isLeaving = (inventory: KubeObject | undefined): boolean =>
  list(inventory, 'spec', 'causes').some((x) => text(x, 'cause') === 'Relabelled')

/** Records of hooks that run as an object. */
export const hooksOf = (inventory: KubeObject | undefined, id: string): JsonValue[] =>
  list(inventory, 'spec', 'hooks').filter(
    (h) => `${text(h, 'group')}/${text(h, 'kind')}/${text(h, 'namespace')}/${text(h, 'name')}` === id,
  )

/** A run has ended and is to go as its policy says, or another one is written down to begin in its place. */
export function isHookOver(inventory: KubeObject, object: KubeObject): boolean {
  const nonce = object.metadata.annotations?.[NONCE]
  return hooksOf(inventory, identity(object)).some((h) => {
    const state = text(h, 'state')
    if (text(h, 'nonce') !== nonce) return state === 'Running'
    if (text(h, 'reason') === 'HookTimeout') return true
    return list(h, 'policy').includes(`Hook${state}`)
  })
}

const hookId = (h: JsonValue): string =>
  `${text(h, 'phase')} ${text(h, 'group')}/${text(h, 'kind')}/${text(h, 'namespace')}/${text(h, 'name')}`
