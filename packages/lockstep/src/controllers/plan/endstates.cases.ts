/** States in which units end, as the controllers store them: the root cause, its cluster, and the advice that `why` prints. */
import type { RequestError } from '@lockstep/kube/client'
import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker, summarized } from '../../api/blocker.ts'
import type { Hold, Module } from '../../api/kinds/index.ts'
import { namedModule, namedUnit, objectRef } from '../../decisions/graph/index.ts'
import { approvalRef, holdRef } from '../../decisions/rollout/approvals/approvals.ts'
import { ownedBlocker } from '../../deliver/ownership/index.ts'
import { refusal, refusalBlocker } from '../../deliver/write/index.ts'
import { faultOf } from '../../sources/intake/sourcefailure.ts'
import { failureBlockers } from '../publish/index.ts'
import { fleetOf, moduleOf, NAMESPACE, revisionOf, unitOf, waitingForObject } from './fleetanswers.cases.ts'
import type { FleetObjects } from './fleetcopy.ts'

export interface EndState {
  readonly name: string
  readonly fleet: FleetObjects
  readonly unit: readonly [module: string, cluster: string]
  /** `LABEL on CLUSTER: REASON` of each root cause; none: the unit is ready. */
  readonly roots: readonly string[]
  /** After `What to do:`. */
  readonly advice: readonly string[]
}

const API = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'web', name: 'api' }
const apiOn = (cluster: string) => {
  const { kind, namespace, name } = API
  return objectRef({ apiVersion: 'apps/v1', kind, namespace, name }, cluster)
}
const settingsOn = (cluster: string) =>
  objectRef({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'settings' }, cluster)

const APP = 'Module/app'
const OLD = 'v1:app-v1'
const at = (cluster: string) => namedUnit(APP, cluster)

/** The Deployment of the unit did not become healthy. */
const unhealthy = (cluster: string): NewBlocker =>
  blocked('HealthTimeout', [apiOn(cluster)], {
    state: 'NotReady',
    seconds: 600,
    detail: '0 of 1 replicas available',
  })
const MAKE_HEALTHY =
  'make Deployment web/api healthy (kubectl describe deployment.apps api -n web), or increase spec.health.timeoutSeconds'

const app = (blockers: readonly NewBlocker[] = [], status: object = {}, f: object = {}): Stored<Module> =>
  moduleOf('app', { blockers, status: { ...status }, ...f })

/** Deployed and ready at the release before, on two clusters. */
const ready = unitOf('app', 'b', 'v1', 'Ready')
const failed = unitOf('app', 'a', 'v2', 'Failed', [unhealthy('a')])

/** A Hold of the Module `name`. */
const holdOf = (name: string, spec: object): Stored<Hold> =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Hold',
    metadata: { name: 'audit', namespace: NAMESPACE, uid: 'audit', resourceVersion: '1' },
    spec: { targetRef: { kind: 'Module', name }, reason: 'audit', ...spec },
  }) as unknown as Stored<Hold>

const pinned = (name: string): Stored<Hold> =>
  holdOf(name, { action: 'Pin', clusters: ['a'], revision: `v1:${name}-v1` })

/** Both published revisions of a Module. */
const history = (name: string) =>
  ['v1', 'v2'].map((release) => revisionOf(moduleOf(name, { release, needs: name === 'web' ? ['app'] : [] })))

const unavailable = (status: number, message: string): RequestError => ({
  kind: 'Server',
  status,
  message,
  cluster: 'a',
  verb: 'apply',
  ref: API,
  wrote: 'no',
})
const DOWN =
  'Internal error occurred: failed calling webhook "check.example.com": connect: connection refused'

/** A write that the cluster refused, as its delivery stores it. */
const refusedAs = (e: RequestError): NewBlocker => refusalBlocker(refusal(e, { ref: API }))

const deliveringWith = (...blockers: readonly NewBlocker[]): FleetObjects =>
  fleetOf([app()], [unitOf('app', 'a', 'v2', 'Delivering', blockers)])

const deleted = (name: string, blockers: readonly NewBlocker[]): Stored<Module> => {
  const module = moduleOf(name, { blockers })
  return { ...module, metadata: { ...module.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } }
}

const approve = 'lockstep rollout approve app --stage canary'
const stageWaits = [
  blocked('AwaitingApproval', [approvalRef('app')], { stage: 'canary', point: 'After', command: approve }),
  blocked('StagePending', [namedModule(APP)], { stage: 'prod', after: 'canary', waiting: 1 }),
]
const limit = (unhealthyNames: readonly string[]) =>
  blocked('RolloutLimit', [at('a')], {
    limit: 'maxUnavailable',
    used: 1,
    max: 1,
    waiting: 1,
    unhealthy: unhealthyNames,
    unhealthyCount: unhealthyNames.length,
  })
const before = blocked('RolloutInProgress', [namedModule(APP)], { revision: 'app-v3', running: 'app-v2' })
const halt = blocked('Halted', [at('a')], { revision: 'app-v2', failed: 1, maxFailed: 0, names: ['a'] })
const BACK = { revision: 'app-v2', failure: 'failed on 1 of 2 clusters', to: 'app-v1', ready: 1, total: 2 }
const unreadable = blocked('SourceUnreachable', [], {
  place: 'git https://git.example.com/app.git',
  because: 'ConnectionRefused',
  host: 'git.example.com',
})

const fromGit = {
  ...app(),
  spec: { ...app().spec, source: { git: { url: 'https://git.example.com/app.git' } } },
} as Stored<Module>

export const endStates: readonly EndState[] = [
  {
    name: 'a Hold suspends the Module',
    fleet: fleetOf(
      [app([blocked('Held', [holdRef('audit')], { action: 'Suspend', target: 'app' })])],
      [ready],
    ),
    unit: ['app', 'b'],
    roots: ['Hold audit on b: Held'],
    advice: ['resume it: lockstep resume app, or delete Hold audit'],
  },
  {
    name: 'a Hold pins the unit, which is ready at its revision',
    fleet: fleetOf([app()], [unitOf('app', 'a', 'v1', 'Ready')], {
      holds: [pinned('app')],
      revisions: history('app'),
    }),
    unit: ['app', 'a'],
    roots: [],
    advice: [],
  },
  {
    name: 'spec.rollout.updates Once keeps the unit at the revision that it was installed with',
    fleet: fleetOf(
      [{ ...app(), spec: { ...app().spec, rollout: { updates: 'Once' } } } as Stored<Module>],
      [unitOf('app', 'a', 'v1', 'Ready')],
      { revisions: history('app') },
    ),
    unit: ['app', 'a'],
    roots: [],
    advice: [],
  },
  {
    name: 'a Hold pins a dependency at another release',
    fleet: fleetOf(
      [app(), moduleOf('web', { needs: ['app'] })],
      [unitOf('app', 'a', 'v1', 'Ready'), unitOf('web', 'a', 'v1', 'Ready')],
      { holds: [pinned('app')], revisions: [...history('app'), ...history('web')] },
    ),
    unit: ['web', 'a'],
    roots: ['app on a: DependencyPinned'],
    advice: ['unpin the dependency (lockstep unpin app@a), or set release: Any on the dependency app'],
  },
  {
    name: 'a later stage, while a stage waits for an approval',
    fleet: fleetOf([app(stageWaits)], [unitOf('app', 'a', 'v2', 'Ready'), ready]),
    unit: ['app', 'b'],
    roots: ['Approval app on b: AwaitingApproval'],
    advice: [`approve: ${approve}`],
  },
  {
    name: 'a later stage, while a cluster of the stage before is not healthy',
    fleet: fleetOf(
      [
        app([
          blocked('StagePending', [namedModule(APP), at('a')], {
            stage: 'prod',
            after: 'canary',
            waiting: 1,
          }),
          ...summarized([{ cluster: 'a', blocker: unhealthy('a') }]),
        ]),
      ],
      [failed, ready],
    ),
    unit: ['app', 'b'],
    roots: ['Deployment web/api on a: HealthTimeout'],
    advice: [MAKE_HEALTHY],
  },
  {
    name: 'a rollout limit that an unhealthy cluster uses up',
    fleet: fleetOf(
      [app([limit(['a']), ...summarized([{ cluster: 'a', blocker: unhealthy('a') }])])],
      [failed, ready],
    ),
    unit: ['app', 'b'],
    roots: ['Deployment web/api on a: HealthTimeout'],
    advice: [MAKE_HEALTHY],
  },
  {
    name: 'the rollout before, which an unhealthy cluster keeps',
    fleet: fleetOf([app([before, limit(['a'])])], [failed, ready]),
    unit: ['app', 'b'],
    roots: ['Deployment web/api on a: HealthTimeout'],
    advice: [MAKE_HEALTHY],
  },
  {
    name: 'a DisruptionBudget that is used up',
    fleet: fleetOf(
      [
        app([
          blocked('DisruptionBudget', [{ kind: 'Budget', name: 'eu' }], {
            state: 'Full',
            waiting: 1,
            disrupted: 1,
            max: 1,
            names: ['c'],
          }),
        ]),
      ],
      [ready],
    ),
    unit: ['app', 'b'],
    roots: ['DisruptionBudget eu on b: DisruptionBudget'],
    advice: ['no action needed: clusters start when others are ready; usage: lockstep get disruptionbudgets'],
  },
  {
    name: 'a halted rollout',
    fleet: fleetOf(
      [app([halt, ...summarized([{ cluster: 'a', blocker: unhealthy('a') }])])],
      [failed, ready],
    ),
    unit: ['app', 'b'],
    roots: ['Deployment web/api on a: HealthTimeout'],
    advice: [MAKE_HEALTHY],
  },
  {
    name: 'a rollout that is rolled back, on a cluster that is not back yet',
    fleet: fleetOf(
      [
        app([blocked('RolledBack', [namedModule(APP)], BACK)], {
          rollout: { phase: 'RolledBack', revision: OLD, cause: 'Rollback', refused: 'v1:app-v2' },
        }),
      ],
      [unitOf('app', 'a', 'v2', 'Ready'), ready],
      { revisions: history('app') },
    ),
    unit: ['app', 'a'],
    roots: ['Module app on a: RolledBack'],
    advice: ['publish another revision, or run: lockstep rollout retry app'],
  },
  {
    name: 'an object that is not healthy in time',
    fleet: fleetOf([app()], [failed]),
    unit: ['app', 'a'],
    roots: ['Deployment web/api on a: HealthTimeout'],
    advice: [MAKE_HEALTHY],
  },
  {
    name: 'an object that reports a failure',
    fleet: fleetOf(
      [app()],
      [
        unitOf('app', 'a', 'v2', 'Failed', [
          blocked('ObjectFailed', [apiOn('a')], { detail: 'Progressing: deadline exceeded' }),
        ]),
      ],
    ),
    unit: ['app', 'a'],
    roots: ['Deployment web/api on a: ObjectFailed'],
    advice: ['read its events: kubectl describe deployment.apps api -n web'],
  },
  {
    name: 'a write without the right',
    fleet: deliveringWith(
      refusedAs({
        kind: 'Forbidden',
        message: 'deployments.apps "api" is forbidden: User "lockstep" cannot patch resource "deployments"',
        cluster: 'a',
        verb: 'apply',
        ref: API,
        wrote: 'no',
      }),
    ),
    unit: ['app', 'a'],
    roots: ['Deployment web/api on a: Forbidden'],
    advice: ['grant the controller the missing right on Deployment'],
  },
  {
    name: 'an admission webhook that does not answer is not the fault of the author',
    fleet: deliveringWith(refusedAs(unavailable(500, DOWN))),
    unit: ['app', 'a'],
    roots: ['Deployment web/api on a: ApplyFailed'],
    advice: ['check the webhook or server that the error names; the controller tries again'],
  },
  {
    name: 'an object of another Module',
    fleet: deliveringWith(
      ownedBlocker(
        settingsOn('a'),
        { unit: `m.${NAMESPACE}.shop`, inventory: undefined },
        { namespace: NAMESPACE, takeOverFrom: undefined },
      ),
    ),
    unit: ['app', 'a'],
    roots: ['ConfigMap web/settings on a: OwnedByAnother'],
    advice: [
      'delete Module shop, remove ConfigMap web/settings from the manifests of one of the two, or list Module shop in spec.apply.takeOverFrom',
    ],
  },
  {
    name: 'a Module that selects no cluster',
    fleet: fleetOf(
      [
        {
          ...app([
            blocked('SelectsNothing', [{ kind: 'Module', name: 'app', namespace: NAMESPACE }], {
              total: 2,
              selector: 'env=staging',
              labels: ['env=prod'],
              matching: 0,
              duplicates: 0,
              deleting: 0,
              excluded: 0,
            }),
          ]),
          spec: { ...app().spec, targets: { clusterSelector: { matchLabels: { env: 'staging' } } } },
        } as Stored<Module>,
      ],
      [],
    ),
    unit: ['app', 'a'],
    roots: ['Module platform/app on a: SelectsNothing'],
    advice: [
      'correct spec.targets of Module platform/app, label the clusters, or set spec.targets.allowEmpty: true',
    ],
  },
  {
    name: 'an object that one of two clusters lacks',
    fleet: fleetOf([waitingForObject(['b'])], []),
    unit: ['app', 'b'],
    roots: ['ConfigMap default/database on b: DependencyMissing'],
    advice: [
      'create ConfigMap default/database, remove the dependency from spec.dependsOn, or set optional: true',
    ],
  },
  {
    name: 'a removal that waits for a dependent',
    fleet: fleetOf(
      [
        deleted(
          'app',
          summarized([
            {
              cluster: 'a',
              blocker: blocked('DependentsRemain', [namedUnit('Module/web', 'a')], { module: 'app' }),
            },
          ]),
        ),
        moduleOf('web', { needs: ['app'] }),
      ],
      [unitOf('app', 'a', 'v2', 'Ready'), unitOf('web', 'a', 'v2', 'Ready')],
    ),
    unit: ['app', 'a'],
    roots: ['web on a: DependentsRemain'],
    advice: ['delete web, or remove app from its spec.dependsOn'],
  },
  {
    name: 'a prune that needs confirmation',
    fleet: deliveringWith(
      blocked('PruneConfirmation', [settingsOn('a'), { kind: 'Module', name: 'app', namespace: NAMESPACE }], {
        module: 'app',
      }),
    ),
    unit: ['app', 'a'],
    roots: ['ConfigMap web/settings on a: PruneConfirmation'],
    advice: [
      'confirm with lockstep rollout approve app --stage prune, or delete it: kubectl delete configmap settings -n web',
    ],
  },
  {
    name: 'a source that cannot be fetched, before the first revision',
    fleet: fleetOf(
      [
        app(failureBlockers(faultOf(unreadable), fromGit), {
          currentRevision: undefined,
          release: undefined,
          rollout: undefined,
        }),
      ],
      [],
      { revisions: [] },
    ),
    unit: ['app', 'a'],
    roots: ['Module platform/app on a: SourceUnreachable'],
    advice: ['check the server and the network; the controller retries with backoff'],
  },
]
