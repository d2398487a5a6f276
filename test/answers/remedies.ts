/** The advice of each reason, as an action: `reason → remedy`. */
import { configMapKind, crdKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import type { StoredFact, WaitRef } from '../../packages/lockstep/src/api/reasons/index.ts'
import { clusterSecret, must, NAMESPACE } from '../fleet/simfleet.ts'
import { USER } from '../fleet/single.ts'
import { configManifest, type Story } from '../fleet/steps.ts'
import { runCommand } from './command.ts'

/** A root cause, as `why` names it. */
export interface Root {
  readonly module: string
  readonly cluster: string
  readonly label: string
  readonly reason: string
}

export interface Sick {
  readonly story: Story
  readonly root: Root
  /** The blocker of the root, where one is stored. */
  readonly fact: StoredFact | undefined
}

export type Remedy = (sick: Sick) => Promise<unknown>

/** The wait ends without a person, or with a fault that the copy of a fleet does not have: workloads start, clusters answer. */
export const passes: Remedy = async () => {}

const command = (words: (sick: Sick) => string): Remedy => {
  return async (sick) => {
    const line = words(sick)
    const { code, err } = await runCommand(sick.story.fleet.env, ...line.split(' '))
    if (code !== 0) throw new Error(`${line} exits ${code}: ${err}`)
  }
}

const first = ({ fact }: Sick): WaitRef | undefined => fact?.on?.[0]

const patch =
  (change: (module: Stored<Module>, sick: Sick) => object): Remedy =>
  (sick) =>
    patched(sick, sick.root.module, change)

async function patched(
  sick: Sick,
  name: string,
  change: (module: Stored<Module>, sick: Sick) => object,
): Promise<void> {
  const { story } = sick
  const body = change(story.see(name), sick)
  must(
    await story.during(
      story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name }, body as never, USER),
    ),
  )
}

/** Changes each edge of the Module; undefined removes it. */
const edges =
  (
    change: (edge: NonNullable<Module['spec']['dependsOn']>[number], sick: Sick) => object | undefined,
  ): Remedy =>
  (sick) =>
    patched(sick, sick.root.module, ({ spec }) => ({
      spec: { dependsOn: (spec.dependsOn ?? []).flatMap((e) => change(e, sick) ?? []) },
    }))

/** The edge of the blocker; a unit that has not started has no stored blocker, and the root has the name of the Module. */
const isIt = (
  edge: { readonly id: string; readonly module?: { readonly name: string } | undefined },
  { fact, root }: Sick,
): boolean =>
  fact?.facts?.edge === undefined
    ? edge.module?.name === root.label.split(' ')[0]
    : edge.id === fact.facts.edge

/** Another revision, with manifests as they should be. */
async function publishFix(sick: Sick): Promise<void> {
  const { story, root } = sick
  const { spec } = story.see(root.module)
  const inline = spec.source?.inline?.objects as readonly KubeObject[] | undefined
  for (const name of spec.source?.configMaps?.map((m) => m.name) ?? [])
    if (root.reason === 'InvalidObject' || root.reason === 'RenderFailed')
      await story.config(name, configManifest('fixed', '1'))
  const objects = inline?.map((o) => ('data' in o ? { ...o, data: { ...(o.data as object), bad: '' } } : o))
  await patched(sick, root.module, () => ({
    spec: {
      attempt: (spec.attempt ?? 0) + 1,
      ...(objects ? { source: { inline: { objects } } } : {}),
    },
  }))
}

async function createObject(sick: Sick): Promise<void> {
  const { story, root } = sick
  const ref = first(sick)
  if (ref?.kind === 'Module' || ref?.kind === 'Unit') {
    await story.config(`${ref.name}-new`, configManifest(`${ref.name}-new`, '1'))
    return story.module(ref.name, `${ref.name}-new`, { release: story.see(root.module).spec.release ?? '1' })
  }
  const metadata = { name: ref!.name, namespace: ref!.namespace ?? 'default' }
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  for (const { client } of story.fleet.clusters.values())
    await story.during(client.create(configMapKind, body as never, { purpose: 'user', manager: 'user' }))
}

/** As `api/reasons/wait.ts` has it: Modules as `Module/web`. */
interface WayOut {
  readonly way: string
  readonly module: string
  readonly of: string
}

async function firstWayOut(sick: Sick): Promise<void> {
  const { story, fact } = sick
  const [way] = fact!.facts!.ways as unknown as readonly WayOut[]
  const bare = (name: string): string => name.split('/').at(-1)!
  if (!way) return story.deleteModule(first(sick)!.name)
  const [module, of] = [bare(way.module), bare(way.of)]
  const isIts = (e: { readonly module?: { readonly name: string } | undefined }) => e.module?.name === of
  const changes: Readonly<Record<string, (spec: Module['spec']) => object>> = {
    RemoveDependency: (spec) => ({ dependsOn: spec.dependsOn!.filter((e) => !isIts(e)) }),
    MakeOptional: (spec) => ({
      dependsOn: spec.dependsOn!.map((e) => (isIts(e) ? { ...e, optional: true } : e)),
    }),
    Publish: () => ({ release: of }),
    TakeOver: () => ({ apply: { takeOverFrom: [{ kind: 'Module', name: of }] } }),
    RaiseLimit: () => ({ rollout: { [of]: '100%' } }),
    Replace: () => ({ rollout: { supersede: 'Replace' } }),
    EndUndo: () => ({ rollout: { undo: null } }),
  }
  if (way.way !== 'RaiseBudget')
    return patched(sick, module, ({ spec }) => ({ spec: changes[way.way]!(spec) }))
  const key = { namespace: NAMESPACE, name: of }
  const body = { spec: { maxUnavailable: '100%' } }
  must(await story.during(story.fleet.hub.patch(disruptionBudgetKind, key, body, USER)))
}

const deleteFirst =
  (kind: unknown): Remedy =>
  async (sick) => {
    const { story } = sick
    const key = { namespace: NAMESPACE, name: first(sick)!.name }
    must(await story.during(story.fleet.hub.delete(kind as never, key, USER)))
  }

export const remedies: Readonly<Record<string, Remedy>> = {
  // Clusters.
  ClusterPaused: async ({ story, root }) => {
    const change = { metadata: { annotations: { 'lockstep.dev/paused': null } } }
    const key = { namespace: NAMESPACE, name: root.cluster }
    must(await story.during(story.fleet.hub.patch(secretKind, key, change, USER)))
  },
  CredentialRefused: async ({ story, root }) => {
    const { data } = clusterSecret(root.cluster, { env: 'prod' })
    const key = { namespace: NAMESPACE, name: root.cluster }
    must(await story.during(story.fleet.hub.patch(secretKind, key, { data }, USER)))
  },
  ClusterUnreachable: passes,
  ClusterConnecting: passes,
  Provisioning: passes,
  TooManyUnreachable: passes,
  StageInconclusive: passes,
  HubUnreachable: passes,
  DependencyStale: passes,
  ClusterGone: async ({ story, root }) => {
    const secret = clusterSecret(root.cluster, { env: 'prod' })
    must(await story.during(story.fleet.hub.create(secretKind, secret, { purpose: 'user', manager: 'user' })))
  },
  NotSelected: patch(() => ({ spec: { targets: { clusterSelector: { matchLabels: null } } } })),
  SelectsNothing: patch(() => ({ spec: { targets: { clusterSelector: { matchLabels: null } } } })),
  // Approvals, Holds and retries.
  Held: command(({ fact, root }) => `resume ${String(fact?.facts?.target ?? root.module)}`),
  AwaitingApproval: command(({ fact }) => String(fact!.facts!.command).replace(/^lockstep /, '')),
  ApprovalForOtherRevision: command(({ fact }) => String(fact!.facts!.command).replace(/^lockstep /, '')),
  PruneConfirmation: command(({ root }) => `rollout approve ${root.module} --stage prune`),
  PinnedRevisionUnknown: deleteFirst(holdKind),
  HoldConflict: deleteFirst(holdKind),
  DependencyPinned: command((sick) => `unpin ${first(sick)!.name}@${sick.root.cluster}`),
  Halted: command(({ root }) => `rollout retry ${root.module}`),
  RolledBack: command(({ root }) => `rollout retry ${root.module}`),
  NothingToRollBackTo: command(({ root }) => `rollout retry ${root.module}`),
  ProgressDeadlineExceeded: command(({ root }) => `rollout retry ${root.module}`),
  RollbackTargetUnknown: patch(() => ({ spec: { rollout: { undo: null } } })),
  // Specs and manifests.
  CycleDetected: patch(() => ({ spec: { dependsOn: null } })),
  Deadlock: firstWayOut,
  DependencyMissing: createObject,
  DependencyDeleting: edges((e, sick) => (isIt(e, sick) ? undefined : e)),
  DependencyNotSelected: edges((e, sick) => (isIt(e, sick) ? { ...e, optional: true } : e)),
  ReleaseMismatch: async (sick) => {
    await edges((e) => (isIt(e, sick) ? { ...e, release: 'Any' } : e))(sick)
    // The revision that failed would fail again, and be rolled back to the same edges.
    if (sick.story.see(sick.root.module).status?.rollout?.cause === 'Rollback') await publishFix(sick)
  },
  DependentsRemain: (sick) => sick.story.deleteModule(first(sick)!.name),
  ResourceNotFound: async ({ story, root }) => {
    for (const { name } of story.see(root.module).spec.source?.configMaps ?? [])
      await story.config(name, configManifest('found', '1'))
  },
  InvalidObject: publishFix,
  RenderFailed: publishFix,
  ObjectFailed: publishFix,
  RollbackFailed: publishFix,
  HealthTimeout: passes,
  DriftDetected: async (sick) => {
    if (sick.fact?.facts?.state === 'Found')
      await patched(sick, sick.root.module, () => ({ spec: { apply: { drift: 'Revert' } } }))
  },
  OwnedByAnother: patch((_, sick) => ({
    spec: { apply: { takeOverFrom: [{ kind: 'Module', name: ownerOf(sick) }] } },
  })),
  ApplyFailed: async (sick) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: first(sick)?.namespace } }
    for (const { client } of sick.story.fleet.clusters.values())
      await sick.story.during(
        client.create(namespaceKind, namespace as never, { purpose: 'user', manager: 'user' }),
      )
  },
  KindNotServed: async ({ story, fact }) => {
    const { apiVersion, kind } = fact!.facts as { readonly apiVersion: string; readonly kind: string }
    const crd = definition(apiVersion, kind)
    for (const { client } of story.fleet.clusters.values())
      must(await story.during(client.apply(crdKind, crd, { ...USER, force: true })))
  },
  // External causes.
  PruneBlocked: passes,
  RemovalFailed: passes,
  FieldFight: passes,
  Forbidden: passes,
  ApplyConflict: passes,
  DisruptionBudget: deleteFirst(disruptionBudgetKind),
  // These end by themselves.
  RolloutLimit: passes,
  RolloutInProgress: passes,
  RolledBackWithDependency: passes,
  InFlightLimit: passes,
  DependentAhead: passes,
  DependencyNotStarted: passes,
  DependencyNotReady: passes,
  Pending: passes,
  Applying: passes,
  Fetching: passes,
  WaitingForObject: passes,
  WaitingForHook: passes,
  WaitingForClaims: passes,
  FinalizerPending: passes,
  Removing: passes,
  PreviousModuleRemoving: passes,
  HandoverPending: passes,
  Soaking: passes,
  StagePending: passes,
  WindowClosed: passes,
  // Objects and Pods.
  Progressing: passes,
  Failed: publishFix,
  ImagePullBackOff: passes,
  ErrImagePull: passes,
  CrashLoopBackOff: passes,
  ContainerCreating: passes,
}

function definition(apiVersion: string, kind: string) {
  const [group, name] = apiVersion.split('/')
  const singular = kind.toLowerCase()
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular },
      versions: [{ name, served: true, storage: true, schema }],
    },
  } as never
}

const ownerOf = ({ fact }: Sick): string | undefined =>
  fact?.on?.find((ref) => ref.kind === 'Module' || ref.kind === 'Unit')?.name
