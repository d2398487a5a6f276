/** I14: at rest, what is not where it should be says why, and what is says nothing. */
import { at, type KubeObject } from '@lockstep/kube/object'
import { HUB, INVENTORIES, list, text } from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

export function checkBlame(o: OracleContext): void {
  for (const resource of ['modules.lockstep.dev', 'bootstrapmodules.lockstep.dev', INVENTORIES]) {
    for (const object of o.history.all(HUB, resource)) {
      // What was given up waits for nothing.
      if (isFollowed(object) || isReceiver(object) || text(object, 'status', 'state') === 'Orphaned') continue
      o.tested('I14')
      const blockers = list(object, 'status', 'blockers')
      const name = `${object.kind} ${object.metadata.name}`
      if (isReady(object)) {
        const real = blockers.filter((b) => !WARNINGS.has(text(b, 'reason')))
        if (real.length > 0)
          o.broken('I14', `${name} is ready and has a blocker: ${text(real[0], 'message')}`)
      } else if (blockers.length === 0) o.broken('I14', `${name} waits without a blocker`)
      for (const b of blockers)
        if (text(b, 'message') === '' || text(b, 'on', 0, 'name') === '')
          o.broken('I14', `${name} has a blocker that names nothing`)
    }
  }
}

/** The record of a ClusterResourceSet that its Module delivers: what waits there is said of that. */
const isFollowed = (o: KubeObject): boolean =>
  at(o, 'spec', 'set') !== undefined && at(o, 'status') === undefined

/** A unit with received objects that has not started: its Module reports the reason. */
const isReceiver = (o: KubeObject): boolean =>
  o.kind === 'Inventory' && at(o, 'spec', 'admitted') === undefined && list(o, 'spec', 'causes').length === 0

/** Said of what is ready, too: they warn, and hold up nothing. */
const WARNINGS: ReadonlySet<string> = new Set(['ReleaseNotCompared', 'ClusterMissing'])

const isReady = (o: KubeObject): boolean =>
  list(o, 'status', 'conditions').some((c) => text(c, 'type') === 'Ready' && text(c, 'status') === 'True')
