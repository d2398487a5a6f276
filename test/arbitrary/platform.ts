/** Modules that need each other, on one cluster, as a gate sees them: also in circles, half published, half gone. */
import fc from 'fast-check'
import type { Observation, Published, UnitSeen } from '../../src/core/gate/gate.ts'
import { wantedGateDigest } from '../../src/core/gate/gate.ts'
import type { Edge, ModuleRef } from '../../src/core/graph/module.ts'
import { moduleId } from '../../src/core/graph/module.ts'

const MODULES = 5
export const CLUSTER = 'edge'

const refOfModule = (n: number): ModuleRef => ({
  kind: n === 0 ? 'BootstrapModule' : 'Module',
  namespace: 'platform',
  name: `m${n}`,
})

const edge = fc.record({
  // One of them does not exist.
  to: fc.nat(MODULES),
  release: fc.constantFrom<Edge['release']>('Same', 'Same', 'Any'),
  optional: fc.constantFrom(false, false, false, true),
})

const release = fc.constantFrom(undefined, 'r1', 'r2', 'r2', 'r2')

const published = fc
  .record({
    revision: fc.constantFrom('v1:aa', 'v1:bb', 'v1:bb'),
    release,
    attempt: fc.constantFrom(0, 0, 1),
    edges: fc.array(edge, { maxLength: 3 }),
  })
  .map(({ edges, ...rest }): Published => {
    return { ...rest, edges: edges.map((e, i) => ({ ...e, id: `e${i}`, to: refOfModule(e.to) })) }
  })

interface Row {
  readonly published: Published | undefined
  readonly selects: boolean
  readonly seen: (UnitSeen & { readonly isVerified: boolean }) | undefined
}

const row: fc.Arbitrary<Row> = fc.record({
  published: fc.option(published, { freq: 9, nil: undefined }),
  selects: fc.constantFrom(true, true, true, true, true, false),
  seen: fc.option(
    fc.record({
      uid: fc.constant('u'),
      resourceVersion: fc.constant('7'),
      admittedRevision: fc.constantFrom(undefined, 'v1:aa', 'v1:bb', 'v1:bb', 'v1:bb'),
      admittedGateDigest: fc.constant(undefined),
      admittedRelease: release,
      verifiedGateDigest: fc.constantFrom(undefined, 'v1:other'),
      healthy: fc.constantFrom(true, true, true, false),
      detail: fc.constant('it is being delivered'),
      isVerified: fc.constantFrom(true, true, true, false),
    }),
    { freq: 9, nil: undefined },
  ),
})

export interface Platform {
  readonly wanting: { readonly module: ModuleRef; readonly cluster: string; readonly published: Published }
  readonly seen: Observation
  seenOf(ref: ModuleRef): UnitSeen | undefined
}

export const platforms: fc.Arbitrary<Platform> = fc
  .tuple(published, fc.array(row, { minLength: MODULES, maxLength: MODULES }))
  .map(([wanted, rows]) => platformOf(wanted, new Map(rows.map((r, i) => [moduleId(refOfModule(i)), r]))))

function platformOf(wanted: Published, rows: ReadonlyMap<string, Row>): Platform {
  const rowOf = (ref: ModuleRef) => rows.get(moduleId(ref))
  const unit = (ref: ModuleRef): UnitSeen | undefined => {
    const { seen, published: own } = rowOf(ref) ?? {}
    if (!seen?.isVerified || !own) return seen
    const verifiedGateDigest = wantedGateDigest({ module: ref, cluster: CLUSTER, published: own }, world)
    return { ...seen, verifiedGateDigest }
  }
  const world: Observation = {
    module: (ref) => rowOf(ref) && { published: rowOf(ref)!.published },
    selects: (ref) => rowOf(ref)?.selects === true,
    unit,
  }
  return {
    wanting: { module: refOfModule(0), cluster: CLUSTER, published: wanted },
    seen: world,
    seenOf: unit,
  }
}

/** Nodes 0 to 5 with arrows between them. */
export const graphs: fc.Arbitrary<readonly (readonly number[])[]> = fc.array(
  fc.array(fc.nat(5), { maxLength: 3 }),
  { minLength: 6, maxLength: 6 },
)
