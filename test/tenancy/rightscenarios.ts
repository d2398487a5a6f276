/** Work of the controller for each profile, with the rights that `lockstep install` gives it. Each gives its requests to the hub. */
import { expect } from 'vitest'
import { configMapKind, crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { LEASE_TIMES } from '../../packages/kube/src/leaderelection/candidate.ts'
import { startElection } from '../../packages/kube/src/leaderelection/election.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import {
  approvalKind,
  bootstrapModuleKind,
  disruptionBudgetKind,
  holdKind,
  moduleKind,
  pipelineKind,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/index.ts'
import {
  AUTOMATIC_LABEL,
  KEY_SECRET,
  MANAGED_BY_LABEL,
  ROTATE_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '../../packages/lockstep/src/api/labels.ts'
import { PROFILES } from '../../packages/lockstep/src/api/rights.ts'
import { checkPolicies } from '../../packages/lockstep/src/cli/kit/check/checkpolicies.ts'
import { checkDefinitions } from '../../packages/lockstep/src/cli/kit/leader/definitioncheck.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { ManagerOptions } from '../../packages/lockstep/src/controllers/runtime/options.ts'
import { weavePipelineKind } from '../../packages/lockstep/src/decisions/weave/weavepipelinekind.ts'
import type { AuditEntry } from '../audit/auditentry.ts'
import { CONTROLLER_AGENT } from '../audit/auditproblems.ts'
import { accountsAdmin, clusterRoleBindingKind } from '../fleet/accountrights.ts'
import { InventoryStory } from '../fleet/inventorystory.ts'
import { manifest, SetStory, sources, yaml } from '../fleet/setstory.ts'
import { clientOf, must, NAMESPACE, simFleet } from '../fleet/simfleet.ts'
import { configManifest, Story } from '../fleet/steps.ts'
import { TakeoverStory } from '../fleet/takeoverstory.ts'
import { looseDefinition } from '../promote/loosedefinition.ts'
import { PipelineStory } from '../promote/pipelinestory.ts'
import { weaveDefinition } from '../promote/weavedefinition.ts'
import { underInstalledRoles } from './installedroles.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const HOUR = 3600
const JOB = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' }
const applicationKind: Kind = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
}

const object = (kind: Kind, name: string, spec: object): KubeObject =>
  ({
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, namespace: NAMESPACE },
    spec,
  }) as KubeObject

/** Modules are published, delivered, held, approved, collected and deleted; a cluster goes for ever. */
async function deliver(): Promise<AuditEntry[]> {
  const fleet = await simFleet('rights', ['edge', 'gone'], { unjudged: true })
  const audit = underInstalledRoles(fleet, [NAMESPACE], PROFILES)
  const story = new Story(fleet)
  story.manager.stop()
  story.manager = startManager(fleet.env, clientOf(fleet.env, 'hub', CONTROLLER_AGENT), {
    orphanRetentionMs: HOUR * 1000,
  })
  const { hub } = fleet
  const put = async (kind: Kind, o: KubeObject) => must(await story.during(hub.apply(kind, o, USER)))
  for (const v of ['1', '2', '3']) await story.config(`v${v}`, configManifest('x', v))
  await story.config('w', configManifest('w', '1'))
  const source = (name: string) => ({ configMaps: [{ name }] })
  const [base, web] = ['BootstrapModule', 'Module'].map((kind) => ({
    kind,
    name: kind === 'Module' ? 'web' : 'base',
  }))
  const targets = { clusters: ['edge'] }
  await put(bootstrapModuleKind, object(bootstrapModuleKind, 'base', { source: source('w'), targets }))
  await story.module('web', 'v1', { targets })
  const dependsOn = [
    { id: 'base', module: base },
    { id: 'web', module: web },
  ]
  await put(moduleKind, object(moduleKind, 'top', { source: { none: {} }, targets, dependsOn }))
  await story.module('own', 'w', { targets: { hub: true } })
  await story.module('away', undefined, { targets: { clusters: ['gone'] } })
  const budget = { clusterSelector: {}, maxUnavailable: 1 }
  await put(disruptionBudgetKind, object(disruptionBudgetKind, 'all', budget))
  await story.pass(60)
  const pause = { targetRef: { kind: 'Module', name: 'own' }, action: 'Pause', reason: 'test' }
  await put(holdKind, object(holdKind, 'pause', pause))
  await story.module('own', 'v1', { targets: { hub: true } })
  // Staged, by an approval.
  const stages = [
    { name: 'first', clusters: ['edge'], approval: 'Required' },
    { name: 'rest', clusterSelector: {} },
  ]
  for (const v of ['v2', 'v3']) {
    await story.module('web', v, {
      targets,
      rollout: { strategy: 'Staged', maxUnavailable: '100%', stages },
    })
    await story.pass(60)
    const revisionHash = story.see('web').status!.currentRevision!
    const approved = { targetRef: web, stage: 'first', point: 'After', revisionHash, approvedBy: 'admin' }
    await put(approvalKind, object(approvalKind, v, approved))
    await story.pass(60)
  }
  // Collected: no unit refers to them.
  for (const v of ['k1', 'k2', 'k3']) {
    await story.config(v, configManifest('k', v))
    await story.module('kept', v, { revisionHistoryLimit: 0, targets: { clusters: ['none'] } })
    await story.pass(10)
  }
  const rotated = { metadata: { annotations: { [ROTATE_ANNOTATION]: 'once' } } }
  const key = { namespace: SYSTEM_NAMESPACE, name: KEY_SECRET }
  must(await story.during(hub.patch(secretKind, key, rotated, USER)))
  await removeExternal(story)
  must(await story.during(hub.delete(holdKind, { namespace: NAMESPACE, name: 'pause' }, USER)))
  await driftTwice(story)
  await story.pass(4 * HOUR)
  for (const name of ['top', 'own', 'away', 'web', 'kept']) await story.deleteModule(name)
  must(await story.during(hub.delete(secretKind, { namespace: NAMESPACE, name: 'gone' }, USER)))
  must(await story.during(hub.delete(bootstrapModuleKind, { namespace: NAMESPACE, name: 'base' }, USER)))
  await story.pass(8 * HOUR)
  story.manager.stop()
  return audit
}

/** The second Event about the same object is counted in the first one. */
async function driftTwice(story: Story): Promise<void> {
  const { client } = story.fleet.clusters.get('edge')!
  for (let i = 0; i < 2; i++) {
    const change = { data: { value: 'other' } }
    must(await story.during(client.patch(configMapKind, { namespace: 'default', name: 'x' }, change, USER)))
    await story.pass(11 * 60)
  }
}

/** Another controller deploys a published Module by an assemblage, and takes it back. */
async function removeExternal(story: Story): Promise<void> {
  await story.module('theirs', 'w', { rollout: { strategy: 'External' } })
  await story.pass(30)
  const { currentRevision: revision, bundle } = story.see('theirs').status!
  for (const syncs of [[{ kind: 'AppGroup', name: 'theirs', revision, bundle }], []]) {
    const spec = { clusterRef: { kind: 'Secret', name: 'edge' }, syncs }
    const body = object(remoteAssemblageKind, 'argo.edge', spec)
    const metadata = { ...body.metadata, labels: { [MANAGED_BY_LABEL]: 'argo' } }
    must(await story.during(story.fleet.hub.apply(remoteAssemblageKind, { ...body, metadata }, USER)))
    await story.pass(60)
  }
  await story.deleteModule('theirs')
}

/** A Module whose account does not exist. */
async function missAccount(): Promise<AuditEntry[]> {
  const fleet = await simFleet('rights of no account', [], { unjudged: true })
  const audit = underInstalledRoles(fleet, [NAMESPACE], PROFILES)
  const story = new Story(fleet)
  const binding = { name: accountsAdmin(NAMESPACE).metadata.name! }
  must(await story.during(fleet.hub.delete(clusterRoleBindingKind, binding, USER)))
  const source = { inline: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }] } }
  const spec = { source, targets: { hub: true }, serviceAccountName: 'missing' }
  must(await story.during(fleet.hub.apply(moduleKind, object(moduleKind, 'refused', spec), USER)))
  await story.pass(60)
  story.manager.stop()
  return audit
}

/** ClusterResourceSets on clusters of Cluster API; one is delivered by a Module of its own. */
async function deliverSets(): Promise<AuditEntry[]> {
  const story = await SetStory.open('rights of sets', ['c1', 'c2'])
  story.manager.stop()
  const audit = underInstalledRoles(story.fleet, [NAMESPACE], PROFILES)
  story.manager = story.fleet.startController()
  await story.source('a', { 'a.yaml': yaml(manifest('ConfigMap', 'a')) })
  await story.set('once', sources('a'))
  await story.set('kept', sources('a'), { annotations: { 'lockstep.dev/mode': 'Continuous' } })
  await story.pass(120)
  await story.removeSet('once')
  await story.removeSet('kept')
  await story.pass(120)
  story.manager.stop()
  return audit
}

/** Clusters of a ClusterProfile and of Argo CD. */
async function findClusters(): Promise<AuditEntry[]> {
  const story = await InventoryStory.open('rights of inventories', [])
  story.manager.stop()
  const profile = await story.installProfiles()
  const audit = underInstalledRoles(story.fleet, [NAMESPACE], PROFILES)
  const manager = startManager(story.fleet.env, clientOf(story.fleet.env, 'hub', CONTROLLER_AGENT))
  await story.object(profile, 'p1', {})
  const module = object(moduleKind, 'm', { source: { none: {} }, targets: { clusters: ['p1'] } })
  must(await story.during(story.fleet.hub.apply(moduleKind, module, USER)))
  const inArgo = { ...module, metadata: { name: 'm', namespace: 'argocd' } }
  must(await story.during(story.fleet.hub.apply(moduleKind, inArgo, USER)))
  await story.pass(120)
  manager.stop()
  return audit
}

/** Cluster API's own controller is at work, and a set of it is taken over. */
async function takeOver(): Promise<AuditEntry[]> {
  const story = await TakeoverStory.with('rights of takeovers', '1.13', ['c1'])
  story.manager.stop()
  const audit = underInstalledRoles(story.fleet, [NAMESPACE], PROFILES)
  story.manager = story.fleet.startController()
  await story.source('a', { 'a.yaml': yaml(manifest('ConfigMap', 'a')) })
  await story.appliedUpstream('set', sources('a'), 'ApplyOnce', ['c1'])
  await story.takeOver('set')
  await story.pass(120)
  story.manager.stop()
  return audit
}

async function openPipelines(seed: string, options: ManagerOptions = {}) {
  const story = await PipelineStory.open(seed)
  story.manager.stop()
  const { hub, env } = story.fleet
  const definitions = [weaveDefinition, looseDefinition(applicationKind)]
  for (const d of definitions) must(await story.during(hub.create(crdKind, d as never, USER)))
  await story.pass(5)
  const audit = underInstalledRoles(story.fleet, [NAMESPACE], PROFILES)
  story.manager = story.start(env, options)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  return {
    story,
    audit,
    put: (kind: Kind, o: KubeObject) => story.during(hub.apply(kind, o, USER)).then(must),
  }
}

/** A revision fails in staging and is rolled back; the next one is requested. Other pipelines read kinds of other tools. */
async function promoteBack(): Promise<AuditEntry[]> {
  const { story, audit, put } = await openPipelines('rights of ways back')
  const back = object(holdKind, 'podinfo-staging-2-rollback', {
    targetRef: { kind: 'Pipeline', name: 'podinfo' },
    action: 'Suspend',
    environments: ['staging'],
    reason: 'of another time',
    until: '2020-01-01T00:00:00Z',
  })
  const verify = {
    soakSeconds: 0,
    timeoutSeconds: 60,
    checks: [{ name: 'slo', readyExpr: "revision == '1.0.0'" }],
  }
  await story.pipeline({
    dev: {},
    staging: { promotion: { verify, rollback: 'OnFailure', strategy: 'manual' } },
  })
  await story.until(() => story.phase('staging') === 'Succeeded')
  await story.runs('dev', '2.0.0')
  await story.until(() => story.phase('staging') === 'Converging')
  await put(holdKind, { ...back, metadata: { ...back.metadata, labels: { [AUTOMATIC_LABEL]: 'true' } } })
  await story.runs('staging', '2.0.0')
  await story.pass(300)
  await story.runs('staging', '1.0.0')
  await story.pass(120)
  await story.dropHolds()
  await story.runs('dev', '3.0.0')
  await story.until(() => story.phase('staging') === 'Converging')
  await story.runs('staging', '3.0.0')
  await story.pass(300)
  await story.runs('staging', '1.0.0')
  await story.runs('dev', '4.0.0')
  await story.pass(120)
  await story.ask('staging', 'r1=4.0.0')
  await story.pass(120)
  for (const [apiVersion, kind] of [
    ['argoproj.io/v1alpha1', 'Application'],
    ['kustomize.toolkit.fluxcd.io/v1', 'Kustomization'],
  ]) {
    const name = `of-${kind!.toLowerCase()}`
    const spec = { identity: name, appRef: { apiVersion, kind, name } }
    await story.pipeline({ dev: {}, staging: {} }, { name, spec })
  }
  await story.pass(60)
  story.manager.stop()
  return audit
}

/** staging is verified by a Job. */
async function verify(): Promise<AuditEntry[]> {
  const { story, audit } = await openPipelines('rights of checks')
  await story.runs('staging', '1.0.0')
  const checks = [{ name: 'smoke', job: { template: { spec: { template: { spec: JOB } } } } }]
  const promotion = { strategy: 'manual', verify: { soakSeconds: 0, timeoutSeconds: 120, checks } }
  await story.pipeline({ dev: {}, staging: { promotion } })
  await story.pass(60)
  story.manager.stop()
  return audit
}

/** A Pipeline is deleted whose pull request is open. */
async function closePulls(): Promise<AuditEntry[]> {
  const { story, audit } = await openPipelines('rights of pull requests')
  await story.pipeline({ dev: {}, staging: {} }, { spec: { deletionPolicy: 'Close' } })
  await story.pass(60)
  await story.runs('dev', '2.0.0')
  await story.until(() => story.phase('staging') === 'Open')
  const key = { namespace: NAMESPACE, name: 'podinfo' }
  must(await story.during(story.fleet.hub.delete(pipelineKind, key, USER)))
  await story.pass(120)
  story.manager.stop()
  return audit
}

/** A Pipeline of weaveworks is promoted, and left. */
async function promoteTheirs(): Promise<AuditEntry[]> {
  const { story, audit, put } = await openPipelines('rights of weave', { weave: { managesAll: false } })
  const pull = { type: 'github', baseBranch: 'main', url: 'https://git.test/o/r', secretRef: { name: 'git' } }
  const theirs = (annotations: Readonly<Record<string, string>>) => {
    const made = object(weavePipelineKind, 'podinfo', {
      appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' },
      environments: ['dev', 'staging'].map((name) => ({ name, targets: [{ namespace: name }] })),
      promotion: { strategy: { 'pull-request': pull } },
    })
    return { ...made, metadata: { ...made.metadata, annotations } }
  }
  await put(weavePipelineKind, theirs({ 'lockstep.dev/managed': 'true' }))
  await story.pass(120)
  await put(weavePipelineKind, theirs({ 'lockstep.dev/managed': 'false' }))
  await story.pass(120)
  story.manager.stop()
  return audit
}

/** A process leads. */
async function lead(): Promise<AuditEntry[]> {
  const fleet = await simFleet('rights of leaders', [], { unjudged: true })
  const audit = underInstalledRoles(fleet, [NAMESPACE], PROFILES)
  const election = startElection(fleet.env, clientOf(fleet.env, 'hub', CONTROLLER_AGENT), {
    namespace: SYSTEM_NAMESPACE,
    name: 'lockstep',
    identity: 'a',
    times: LEASE_TIMES,
  } as never)
  await fleet.env.clock.run(() => false, 60_000)
  void election.stop()
  await fleet.env.clock.run(() => false, 60_000)
  return audit
}

/** The process reads the definitions before it leads; `lockstep check` reads them and the policies. */
async function check(): Promise<AuditEntry[]> {
  const fleet = await simFleet('rights-check', [], { unjudged: true })
  const audit = underInstalledRoles(fleet, [NAMESPACE], PROFILES)
  const client = clientOf(fleet.env, 'hub', CONTROLLER_AGENT)
  const { signal } = new AbortController()
  const story = new Story(fleet)
  story.manager.stop()
  await story.during(checkDefinitions(fleet.env, client, '0.1.0', signal).current)
  const findings = await story.during(checkPolicies(client, signal))
  expect(findings.map((f) => f.state)).toEqual(findings.map(() => 'ok'))
  return audit
}

export const scenarios = [
  deliver,
  missAccount,
  deliverSets,
  takeOver,
  findClusters,
  promoteBack,
  verify,
  closePulls,
  promoteTheirs,
  lead,
  check,
]
