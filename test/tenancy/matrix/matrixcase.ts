/** One random case of the matrix: an account, its rights, and a request on its behalf. */
import { seededRandom } from '../../../packages/kube/src/env/sim/seededrandom.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { chance, pick } from '../../simulation/scenario.ts'
import { clusterKinds, namespacedKinds } from './matrixkinds.ts'
import type { MatrixPath } from './matrixpath.ts'
import { matrixPaths } from './matrixpaths.ts'
import type { MatrixScene, RequiredRight } from './matrixscene.ts'
import { randomRights } from './randomrights.ts'

export interface MatrixCase {
  /** Draws all of it. */
  readonly seed: string
  readonly path: MatrixPath
  readonly scene: MatrixScene
  readonly needs: readonly RequiredRight[]
  /** Roles and their bindings. */
  readonly rights: readonly KubeObject[]
}

/** Seeds of the first cases. */
export const matrixSeeds = (count: number): string[] => Array.from({ length: count }, (_, i) => `m-${i}`)

export function matrixCase(seed: string): MatrixCase {
  const random = seededRandom(`matrix/${seed}`)
  const path = pick(random, matrixPaths)
  const place = pick(random, path.places)
  const kinds = (place === 'Cluster' ? clusterKinds : namespacedKinds).filter((k) => path.takes(k))
  const of = path.kind ?? pick(random, kinds)
  const [own, other] = [`${seed}-own`, `${seed}-other`]
  const account = chance(random, 0.3) ? 'worker' : undefined
  const scene: MatrixScene = {
    own,
    other,
    account,
    user: `system:serviceaccount:${own}:${account ?? 'lockstep-deployer'}`,
    place,
    of,
    namespace: { Own: own, Other: other, Cluster: undefined }[place],
    name: `${seed}-object`,
  }
  const needs = path.needs(scene)
  return { seed, path, scene, needs, rights: randomRights(random, scene, needs) }
}
