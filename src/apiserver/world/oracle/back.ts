/** Going back to an earlier release (I8): who relies on the later one goes first. */
import type { JsonValue, KubeObject } from '../../../object/object.ts'
import type { CommitRecord } from '../../trace.ts'
import type { OracleContext } from './context.ts'
import { HUB, INVENTORIES, list, REVISIONS, text } from './history.ts'

/** The least number of the revisions that a module has published at a release. */
function numberOf(o: OracleContext, inventory: KubeObject, release: string): number {
  let least = Number.POSITIVE_INFINITY
  for (const r of o.history.all(HUB, REVISIONS)) {
    const isIts =
      r.metadata.namespace === inventory.metadata.namespace &&
      text(r, 'data', 'module') === text(inventory, 'spec', 'moduleRef', 'name') &&
      text(r, 'data', 'kind') === text(inventory, 'spec', 'moduleRef', 'kind')
    if (isIts && text(r, 'data', 'spec', 'release') === release)
      least = Math.min(least, (r as { revision?: number }).revision ?? least)
  }
  return least
}

const admittedRelease = (inventory: KubeObject | undefined): string =>
  text(inventory, 'spec', 'admitted', 'release')

/** Whether the one release of a unit's module came before the other; of none: no. */
export function isBefore(o: OracleContext, unit: KubeObject, release: string, than: string): boolean {
  return release !== '' && than !== '' && numberOf(o, unit, release) < numberOf(o, unit, than)
}

/** An admission takes its unit from a later release to an earlier one. */
export const isBack = (o: OracleContext, c: CommitRecord): boolean =>
  isBefore(o, c.next!, admittedRelease(c.next), admittedRelease(c.old))

/** Called for each admission. */
export function checkReverseOrder(o: OracleContext, c: CommitRecord): void {
  if (!isBack(o, c)) return
  o.tested('I8')
  const target = admittedRelease(c.next)
  for (const other of o.history.all(HUB, INVENTORIES)) {
    const release = admittedRelease(other)
    if (release === '' || release === target) continue
    for (const e of list(other, 'spec', 'admitted', 'evidence')) {
      if (text(e, 'uid') !== c.next!.metadata.uid || isAny(o, other, e)) continue
      if (isBefore(o, c.next!, target, text(e, 'release')))
        o.broken(
          'I8',
          `${c.key} goes back to ${target} while ${other.metadata.name} relies on ${text(e, 'release')}`,
        )
    }
  }
}

function isAny(o: OracleContext, inventory: KubeObject, evidence: JsonValue): boolean {
  const revision = text(inventory, 'spec', 'admitted', 'revision')
  for (const r of o.history.all(HUB, REVISIONS)) {
    if (text(r, 'data', 'revision') !== revision) continue
    const edge = list(r, 'data', 'spec', 'dependsOn').find((e) => text(e, 'id') === text(evidence, 'edge'))
    return text(edge, 'release') === 'Any'
  }
  return false
}
