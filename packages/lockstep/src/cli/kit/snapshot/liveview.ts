/** The snapshot of a namespace, kept current by watches. */

import { type Informer, type InformerOptions, type ReadOnlyStore, startInformer } from '@lockstep/kube/cache'
import type { RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { Kind, KubeObject, Stored } from '@lockstep/kube/object'
import {
  bootstrapModuleKind,
  holdKind,
  inventoryKind,
  type Module,
  moduleKind,
  remoteAssemblageKind,
} from '../../../api/kinds/index.ts'
import { clusterSources, type HubConnection, withUniqueNames } from '../hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure, untilInterrupt } from '../index.ts'
import { byKeeper, type FleetSnapshot } from './snapshot.ts'

export interface LiveView<S> {
  snapshot(): S
  /** Why nothing is heard of the hub at the moment. */
  problem(): RequestError | undefined
  /** Begins again where a watch has been silent for too long. */
  tend(): void
  stop(): void
}

/** Lists once, then follows. What the hub refuses before everything was listed ends it; later it is tried again. */
export async function followed<S>(
  c: CommandContext,
  hub: HubConnection,
  onChange: () => void,
  open: (follow: Following) => () => S,
): Promise<Result<LiveView<S>, CliFailure>> {
  const follow = new Following(c, hub, onChange)
  const snapshot = open(follow)
  const refused = await follow.complete()
  if (refused) {
    follow.stop()
    return requestFailure(refused, hub.server)
  }
  const live = { problem: () => follow.problem(), tend: () => follow.tend(), stop: () => follow.stop() }
  return ok({ snapshot, ...live })
}

/** Modules, clusters and what is between them. */
export async function followFleet(
  c: CommandContext,
  hub: HubConnection,
  onChange: () => void,
): Promise<Result<LiveView<FleetSnapshot>, CliFailure>> {
  const sources = await clusterSources(c, hub)
  if (!sources.ok) return sources
  return followed(c, hub, onChange, (follow) => {
    const modules = follow.kind<Module, Stored<Module>>(moduleKind, (o) => o)
    const bootstrap = follow.kind<Module, Stored<Module>>(bootstrapModuleKind, (o) => o)
    const inventories = follow.kind(inventoryKind, (o) => o)
    const assemblages = follow.kind(remoteAssemblageKind, (o) => o)
    const holds = follow.kind(holdKind, (o) => o)
    const clusters = sources.value.map(({ kind, view, labelSelector }) =>
      follow.kind(kind, view, labelSelector === undefined ? {} : { labelSelector }),
    )
    return () => ({
      modules: [...modules.all(), ...bootstrap.all()],
      inventories: [...inventories.all()],
      ...byKeeper([...assemblages.all()]),
      clusters: withUniqueNames(
        clusters.flatMap((s) => [...s.all()].filter((v) => v !== undefined)),
        byKeeper([...assemblages.all()]).assemblages,
      ),
      holds: [...holds.all()],
      nowMs: c.env.clock.now(),
    })
  })
}

/** The informers of one namespace, and how they fare. */
export class Following {
  private readonly c: CommandContext
  private readonly hub: HubConnection
  private readonly onChange: () => void
  private readonly informers: Pick<Informer<KubeObject, unknown>, 'store' | 'relist' | 'stop'>[] = []
  private readonly problems = new Map<string, RequestError>()
  private refuse: (error: RequestError) => void = () => {}
  private readonly refused: Promise<RequestError>

  constructor(c: CommandContext, hub: HubConnection, onChange: () => void) {
    this.c = c
    this.hub = hub
    this.onChange = onChange
    this.refused = new Promise((resolve) => {
      this.refuse = resolve
    })
  }

  kind<T extends KubeObject, P>(
    kind: Kind<T>,
    project: (o: Stored<T>) => P,
    o: Pick<InformerOptions<T, P>, 'labelSelector' | 'fieldSelector'> & { namespace?: undefined } = {},
  ): ReadOnlyStore<P> {
    const informer = startInformer(this.c.env, this.hub.client, {
      kind,
      // Undefined where it is said: all of them.
      ...('namespace' in o ? {} : { namespace: this.hub.namespace }),
      ...(o.labelSelector === undefined ? {} : { labelSelector: o.labelSelector }),
      ...(o.fieldSelector === undefined ? {} : { fieldSelector: o.fieldSelector }),
      project,
      onHealth: (error) => this.health(kind.plural, error),
    })
    informer.store.subscribe(this.onChange)
    this.informers.push(informer)
    return informer.store
  }

  /** Undefined once everything was listed, or the person has had enough. */
  async complete(): Promise<RequestError | undefined> {
    const listed = this.informers.map(
      (i) => new Promise<void>((resolve) => i.store.onSynced(() => resolve())),
    )
    const all = Promise.all(listed).then(() => undefined)
    return Promise.race([all, this.refused, untilInterrupt(this.c.signal).then(() => undefined)])
  }

  problem(): RequestError | undefined {
    return [...this.problems.values()][0]
  }

  tend(): void {
    for (const i of this.informers) if (i.store.freshness.state === 'Stale') i.relist()
  }

  stop(): void {
    for (const i of this.informers) i.stop()
  }

  private health(plural: string, error: RequestError | undefined): void {
    if (error) {
      this.problems.set(plural, error)
      this.refuse(error)
    } else this.problems.delete(plural)
    this.onChange()
  }
}
