/** What happens in the demo, apart from how it is drawn. */

import { keyOf } from '@lockstep/kube/object'
import { moduleKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { ManifestDocument } from '../../kit/documents/index.ts'
import { FLEET_NAMESPACE } from '../../kit/localfleet/index.ts'
import { type FleetSnapshot, inOrder, matrixOf } from '../../kit/snapshot/index.ts'
import type { DemoFleet } from './demofleet.ts'

/** Who watches: draws, keeps the pace, waits for Enter. */
export interface DemoAudience {
  chapter(title: string, text: string): Promise<void>
  /** After each slice of virtual time. */
  tick(): Promise<void>
  /** The chapter has come to its end. */
  settled(note: string): void
  /** `lockstep why` for one unit. */
  why(module: string, cluster: string): Promise<void>
  readonly signal: AbortSignal
}

/** Documents by file of a release, as `examples/platform` has them. */
export interface DemoPlatform {
  readonly v1: readonly ManifestDocument[]
  readonly v2: readonly ManifestDocument[]
  readonly fix: readonly ManifestDocument[]
}

export type DemoEnding =
  | { readonly type: 'done' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'stuck'; readonly what: string }

const SLICE_MS = 100
const QUIET_MS = 30_000
/** Far beyond what a chapter takes: then something is wrong. */
const PATIENCE_MS = 600_000

const FAILING_MODULE = 'certs'
const FAILING_IMAGE = 'certs/webhook:2.0.0'
const REMOVED = ['ingress', 'monitoring'] as const

export async function tellDemoStory(
  fleet: DemoFleet,
  platform: DemoPlatform,
  a: DemoAudience,
): Promise<DemoEnding> {
  const story = new DemoStory(fleet, platform, a)
  const chapters = [() => story.first(), () => story.second(), () => story.repair(), () => story.removal()]
  for (const chapter of chapters) {
    const stuck = await chapter()
    if (a.signal.aborted) return { type: 'interrupted' }
    if (stuck !== undefined) return { type: 'stuck', what: stuck }
  }
  return { type: 'done' }
}

class DemoStory {
  private readonly fleet: DemoFleet
  private readonly platform: DemoPlatform
  private readonly a: DemoAudience
  private failing = ''

  constructor(fleet: DemoFleet, platform: DemoPlatform, a: DemoAudience) {
    this.fleet = fleet
    this.platform = platform
    this.a = a
  }

  async first(): Promise<string | undefined> {
    const { v1 } = this.platform
    await this.a.chapter(
      `Release ${releaseOf(v1)} is deployed`,
      'Each Module waits on each cluster until its dependencies are healthy at the same release.',
    )
    await this.apply(v1)
    const stuck = await this.until(
      (s) => isComplete(s, releaseOf(v1)),
      `${releaseOf(v1)} is ready everywhere`,
    )
    return stuck ?? this.quiet()
  }

  /** Written dependants first, and with an image that one cluster cannot pull. */
  async second(): Promise<string | undefined> {
    const { v2 } = this.platform
    this.failing = this.chooseFailing()
    await this.a.chapter(
      `Release ${releaseOf(v2)} is published, its modules in the wrong order`,
      `Dependents are written first, and ${this.failing} cannot pull ${FAILING_IMAGE}.`,
    )
    this.fleet.local.worlds.get(this.failing)?.fail({ image: FAILING_IMAGE, outcome: 'ImagePull' })
    for (const group of this.dependantsFirst(v2)) {
      await this.apply(group)
      await this.pass(1500)
      if (this.a.signal.aborted) return undefined
    }
    const stuck = await this.until((s) => phaseOf(s, FAILING_MODULE) === 'Halted', 'the rollout halts')
    if (stuck !== undefined || this.a.signal.aborted) return stuck
    const restless = await this.quiet()
    if (restless !== undefined || this.a.signal.aborted) return restless
    await this.a.why('monitoring', this.protectedCluster())
    return undefined
  }

  async repair(): Promise<string | undefined> {
    const { fix } = this.platform
    await this.a.chapter(
      `A fix is published: ${FAILING_MODULE} with another image, in the same release`,
      'The halted rollout resumes with the fix, and all waiting Modules continue.',
    )
    await this.apply(fix)
    const release = releaseOf(fix)
    const stuck = await this.until((s) => isComplete(s, release), `${release} is ready everywhere`)
    return stuck ?? this.quiet()
  }

  async removal(): Promise<string | undefined> {
    const [first, second] = REMOVED
    await this.a.chapter(
      `Two Modules are deleted: ${first}, then its dependent ${second}`,
      `${first} stays until ${second} is removed: dependents are removed first, in whatever order they are deleted.`,
    )
    for (const name of REMOVED) {
      await this.fleet.wait(
        this.fleet.user.delete(
          moduleKind,
          { namespace: FLEET_NAMESPACE, name },
          {
            purpose: 'user',
            manager: CLI_MANAGER,
            precondition: 'any',
          },
        ),
      )
      await this.pass(2000)
    }
    const isGone = (s: FleetSnapshot): boolean =>
      !s.modules.some((m) => REMOVED.includes(m.metadata.name as never))
    const stuck = await this.until(isGone, 'both are deleted')
    return stuck ?? this.quiet()
  }

  /** The third cluster in the order in which the module reached them: the first has proved the release by then. */
  private chooseFailing(): string {
    const order: string[] = []
    for (const c of this.fleet.tally.commits) {
      const spec = (
        c.next as
          | { spec?: { moduleRef?: { name: string }; clusterRef?: { name: string }; admitted?: unknown } }
          | undefined
      )?.spec
      if (c.resource !== 'inventories.lockstep.dev' || spec?.moduleRef?.name !== FAILING_MODULE) continue
      const name = spec.clusterRef?.name ?? ''
      if (spec.admitted !== undefined && !order.includes(name)) order.push(name)
    }
    return order[Math.min(2, order.length - 1)] ?? ''
  }

  /** Where nothing failed, and nothing of the new release may come: the rest of the rollout. */
  private protectedCluster(): string {
    const s = this.fleet.snapshot()
    const clusters = s.clusters.map((c) => c.name)
    const row = matrixOf(s, clusters).find((r) => r.module.metadata.name === FAILING_MODULE)
    const untouched = clusters.find((_, i) => row?.cells[i]?.isOld === true)
    return untouched ?? this.failing
  }

  private dependantsFirst(documents: readonly ManifestDocument[]): ManifestDocument[][] {
    const order = inOrder(this.fleet.snapshot().modules)
      .map((m) => m.metadata.name)
      .reverse()
    const files = [...new Set(documents.map((d) => d.source.file))]
    const groups = files.map((file) => documents.filter((d) => d.source.file === file))
    const rank = (group: ManifestDocument[]): number =>
      order.indexOf(group.find((d) => d.kind.kind === 'Module')?.object.metadata.name ?? '')
    return groups.sort((x, y) => rank(x) - rank(y))
  }

  private async apply(documents: readonly ManifestDocument[]): Promise<void> {
    for (const d of documents) {
      const done = await this.fleet.wait(
        this.fleet.user.apply(d.kind, d.object, {
          purpose: 'user',
          manager: CLI_MANAGER,
          precondition: 'any',
          validate: 'Strict',
        }),
      )
      if (!done.ok) throw new Error(`${d.kind.kind} ${keyOf(d.object).name}: ${JSON.stringify(done.error)}`)
    }
  }

  private async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms && !this.a.signal.aborted; passed += SLICE_MS) {
      await this.fleet.env.clock.run(() => false, SLICE_MS)
      await this.a.tick()
    }
  }

  /** Lets time pass until it holds; what was waited for, if it never did. */
  private async until(holds: (s: FleetSnapshot) => boolean, what: string): Promise<string | undefined> {
    const end = this.fleet.env.clock.steady() + PATIENCE_MS
    while (!holds(this.fleet.snapshot())) {
      if (this.a.signal.aborted) return undefined
      if (this.fleet.env.clock.steady() > end) return what
      await this.pass(SLICE_MS)
    }
    await this.pass(SLICE_MS)
    return undefined
  }

  /** Nothing is left to do: so nothing may be written, and whoever waits has said why. */
  private async quiet(): Promise<string | undefined> {
    const { env, tally, oracles } = this.fleet
    let before = -1
    for (let i = 0; i < 60 && before !== tally.commits.length; i++) {
      before = tally.commits.length
      await env.clock.run(() => false, 5000)
      if (this.a.signal.aborted) return undefined
    }
    const from = env.clock.steady()
    await env.clock.run(() => false, QUIET_MS)
    oracles.atRest()
    oracles.quiet(tally.commits.slice(before))
    const seconds = Math.round((env.clock.steady() - from) / 1000)
    const written = tally.commits.length - before
    this.a.settled(`steady state: ${written === 0 ? 'no' : written} writes for ${seconds}s`)
    return undefined
  }
}

export const releaseOf = (documents: readonly ManifestDocument[]): string =>
  String(
    (documents.find((d) => d.kind.kind === 'Module')?.object.spec as { release?: string } | undefined)
      ?.release,
  )

/** Every module is at the release, everywhere, and Ready. */
export const isComplete = (s: FleetSnapshot, release: string): boolean =>
  s.modules.length > 0 &&
  s.modules.every(
    (m) => m.status?.release === release && m.status.rollout?.phase === 'Complete' && isReady(m),
  )

export const isReady = (m: FleetSnapshot['modules'][number]): boolean =>
  m.status?.observedGeneration === m.metadata.generation &&
  m.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true

const phaseOf = (s: FleetSnapshot, name: string): string | undefined =>
  s.modules.find((m) => m.metadata.name === name)?.status?.rollout?.phase
