/** I11: revision → bundle never changes; nothing that is in use is removed. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { jsonEqual } from '@lockstep/kube/object'
import { HUB, INVENTORIES, list, text } from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

export function checkHistory(o: OracleContext, c: CommitRecord): void {
  if (c.cluster !== HUB) return
  if (c.resource === 'controllerrevisions.apps' && c.old && c.next) {
    o.tested('I11')
    if (!jsonEqual(c.old.data, c.next.data)) o.broken('I11', `${c.key} was changed`)
  }
  if (c.resource === INVENTORIES && c.next) {
    const bundle = text(c.next, 'spec', 'admitted', 'bundle')
    if (bundle === '' || bundle === text(c.old, 'spec', 'admitted', 'bundle')) return
    o.tested('I11')
    if (!o.bundles.has(c.next.metadata.namespace ?? '', bundle))
      o.broken('I11', `${c.key} admits a bundle that is not stored`)
  }
  if (c.resource === 'secrets' && c.old && !c.next && c.key.includes('/lockstep-bundle-')) {
    o.tested('I11')
    const digest = c.old.metadata.annotations?.['lockstep.dev/bundle-digest'] ?? ''
    const namespace = c.old.metadata.namespace ?? ''
    for (const user of references(o, namespace))
      if (user === digest) o.broken('I11', `bundle ${c.key} was removed while in use`)
  }
}

function* references(o: OracleContext, namespace: string): Iterable<string> {
  for (const i of o.history.all(HUB, INVENTORIES))
    if (i.metadata.namespace === namespace)
      for (const part of ['assigned', 'admitted'])
        yield* [text(i, 'spec', part, 'bundle'), text(i, 'spec', part, 'values')]
  for (const r of o.history.all(HUB, 'controllerrevisions.apps'))
    if (r.metadata.namespace === namespace) yield* [text(r, 'data', 'bundle'), text(r, 'data', 'values')]
  for (const a of o.history.all(HUB, 'remoteassemblages.lockstep.dev'))
    for (const s of list(a, 'spec', 'syncs')) yield text(s, 'bundle')
}
