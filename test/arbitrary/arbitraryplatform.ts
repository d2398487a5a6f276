/** Modules that need each other, on one cluster, as a gate sees them: also in circles, half published, half gone. */
import fc from 'fast-check'
import { targetGateDigest } from '../../packages/lockstep/src/decisions/gate/gate.ts'
import type {
  ObjectObservation,
  Observation,
  PublishedRevision,
  UnitObservation,
} from '../../packages/lockstep/src/decisions/gate/observation.ts'
import type {
  DependencyEdge,
  ModuleEdge,
  ModuleRef,
} from '../../packages/lockstep/src/decisions/graph/moduleref.ts'
import { moduleId } from '../../packages/lockstep/src/decisions/graph/moduleref.ts'

const MODULES = 5
export const CLUSTER = 'edge'

const refOfModule = (n: number): ModuleRef => ({
  kind: n === 0 ? 'BootstrapModule' : 'Module',
  namespace: 'platform',
  name: `m${n}`,
})

/** Another cluster, which edges may name. */
export const FAR = 'far'

const moduleEdge = fc
  .record({
    // One of them does not exist.
    to: fc.nat(MODULES),
    cluster: fc.constantFrom(undefined, undefined, undefined, FAR),
    release: fc.constantFrom<ModuleEdge['release']>('Same', 'Same', 'Any'),
    optional: fc.constantFrom(false, false, false, true),
    beforeWave: fc.constantFrom(undefined, undefined, -5, 0, 5),
  })
  .map(({ to, cluster, beforeWave, ...rest }) => ({
    ...rest,
    to: refOfModule(to),
    ...(cluster === undefined ? {} : { cluster }),
    ...(beforeWave === undefined ? {} : { beforeWave }),
  }))

const map = (a: string): ObjectObservation => ({
  type: 'Present',
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', uid: 'u', resourceVersion: '3' },
    data: { a },
  },
})

/** Objects by name: what is seen of them, whether `object.data.a == '1'`, whether they are healthy. */
export const OBJECTS: Readonly<
  Record<string, { seen: ObjectObservation; isOne: boolean; isHealthy: boolean }>
> = {
  one: { seen: map('1'), isOne: true, isHealthy: true },
  two: { seen: map('2'), isOne: false, isHealthy: true },
  gone: { seen: { type: 'Absent' }, isOne: false, isHealthy: false },
  unread: { seen: { type: 'Unread', detail: 'it is being read' }, isOne: false, isHealthy: false },
}

const objectEdge = fc
  .record({
    name: fc.constantFrom(...Object.keys(OBJECTS)),
    readyExpr: fc.constantFrom(undefined, "object.data.a == '1'"),
    optional: fc.constantFrom(false, false, true),
  })
  .map(({ name, readyExpr, optional }) => ({
    object: { apiVersion: 'v1', kind: 'ConfigMap', name },
    ...(readyExpr === undefined ? {} : { readyExpr }),
    optional,
  }))

const edge = fc.oneof({ arbitrary: moduleEdge, weight: 4 }, { arbitrary: objectEdge, weight: 1 })

const release = fc.constantFrom(undefined, 'r1', 'r2', 'r2', 'r2')

const published = fc
  .record({
    revision: fc.constantFrom('v1:aa', 'v1:bb', 'v1:bb'),
    release,
    attempt: fc.constantFrom(0, 0, 1),
    edges: fc.array(edge, { maxLength: 3 }),
  })
  .map(({ edges, ...rest }): PublishedRevision => {
    return { ...rest, edges: edges.map((e, i): DependencyEdge => ({ ...e, id: `e${i}` })) }
  })

interface PlatformRow {
  readonly published: PublishedRevision | undefined
  readonly selects: boolean
  readonly isDeleting: boolean
  readonly isHub: boolean
  readonly seen: (UnitObservation & { readonly reached: 'Verified' | 'Admitted' | 'Nothing' }) | undefined
}

const row: fc.Arbitrary<PlatformRow> = fc.record({
  published: fc.option(published, { freq: 9, nil: undefined }),
  selects: fc.constantFrom(true, true, true, true, true, false),
  isDeleting: fc.constantFrom(false, false, false, false, false, true),
  isHub: fc.constantFrom(false, false, false, true),
  seen: fc.option(
    fc.record({
      uid: fc.constant('u'),
      resourceVersion: fc.constant('7'),
      admittedRevision: fc.constantFrom(undefined, 'v1:aa', 'v1:bb', 'v1:bb', 'v1:bb'),
      admittedGateDigest: fc.constant(undefined),
      admittedRelease: release,
      releases: fc.constant([]),
      verifiedGateDigest: fc.constantFrom(undefined, 'v1:other'),
      healthy: fc.constantFrom(true, true, true, false),
      current: fc.constantFrom(true, true, true, false),
      detail: fc.constant('it is being delivered'),
      doneBeforeWave: fc.constantFrom(undefined, -5, 0, 5),
      reached: fc.constantFrom('Verified', 'Verified', 'Verified', 'Admitted', 'Nothing'),
    }),
    { freq: 9, nil: undefined },
  ),
})

export interface ArbitraryPlatform {
  readonly wanting: {
    readonly module: ModuleRef
    readonly cluster: string
    readonly published: PublishedRevision
  }
  readonly seen: Observation
}

export const platforms: fc.Arbitrary<ArbitraryPlatform> = fc
  .tuple(
    published,
    fc.array(row, { minLength: MODULES, maxLength: MODULES }),
    fc.constantFrom(undefined, undefined, {
      since: '2026-11-24T14:05:00Z',
      because: 'NoAnswer' as const,
    }),
  )
  .map(([wanted, rows, silence]) =>
    platformOf(wanted, new Map(rows.map((r, i) => [moduleId(refOfModule(i)), r])), silence),
  )

function platformOf(
  wanted: PublishedRevision,
  rows: ReadonlyMap<string, PlatformRow>,
  silence: ReturnType<Observation['silence']>,
): ArbitraryPlatform {
  const rowOf = (ref: ModuleRef) => rows.get(moduleId(ref))
  const unit = (ref: ModuleRef, cluster: string): UnitObservation | undefined => {
    const { seen, published: own } = rowOf(ref) ?? {}
    if (!seen || !own || seen.reached === 'Nothing') return seen
    const wanted = targetGateDigest({ module: ref, cluster, published: own }, world)
    const verified = seen.reached === 'Verified' ? { verifiedGateDigest: wanted } : {}
    return { ...seen, admittedGateDigest: wanted, ...verified }
  }
  const world: Observation = {
    module: (ref) => {
      const row = rowOf(ref)
      return (
        row && { published: row.published, edges: row.published?.edges ?? [], isDeleting: row.isDeleting }
      )
    },
    selects: (ref) => rowOf(ref)?.selects === true,
    unit,
    home: (ref) => (rowOf(ref)?.isHub ? FAR : undefined),
    silence: (cluster) => (cluster === FAR ? silence : undefined),
    object: (ref) => OBJECTS[ref.name]!.seen,
    nowMs: 0,
    dependants: () => [],
    apart: () => undefined,
    publishedBefore: () => false,
    set: () => undefined,
  }
  return {
    wanting: { module: refOfModule(0), cluster: CLUSTER, published: wanted },
    seen: world,
  }
}

/** Nodes 0 to 5 with arrows between them. */
export const graphs: fc.Arbitrary<readonly (readonly number[])[]> = fc.array(
  fc.array(fc.nat(5), { maxLength: 3 }),
  { minLength: 6, maxLength: 6 },
)
