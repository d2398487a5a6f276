import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { CLUSTER_LABEL, RENEW_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { PLATFORM, TEAM } from '../../packages/lockstep/src/cli/commands/demo/tenancy/attacks.ts'
import { managedNamespace } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { auditProblems } from '../audit/auditproblems.ts'
import { TIER } from '../tier.ts'
import { type AttackCase, attackCases } from './attacks.cases.ts'
import { expectRevoked } from './revokedrole.ts'
import { type TenancyServers, TenancyStage } from './tenancystage.ts'

const VICTIM = `
apiVersion: v1
kind: ConfigMap
metadata: {name: web-1, namespace: ${PLATFORM}}
data:
  a.yaml: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: web, namespace: default}
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web, namespace: ${PLATFORM}}
spec: {source: {configMaps: [{name: web-1}]}, targets: {clusters: [c1]}}
`
const OWN = `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: own, namespace: ${TEAM}}
spec:
  targets: {hub: true}
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: fine, namespace: ${TEAM}}}]}}
`

const isReady = async (stage: TenancyStage, namespace: string, name: string): Promise<boolean> => {
  const module = await stage.module(namespace, name)
  const ready = module?.status?.conditions?.find((c) => c.type === 'Ready')
  return ready?.status === 'True' && module?.status?.observedGeneration === module?.metadata.generation
}

/** Waits until the refusal is in a status: nothing that the attack wanted exists then. */
async function expectRefused(stage: TenancyStage, attack: AttackCase): Promise<void> {
  const { refused, absent = [], unchanged = [] } = attack
  const versions = async () => {
    const found = await Promise.all(unchanged.map((o) => stage.find(...o)))
    return found.map((o) => o?.metadata.resourceVersion)
  }
  const before = await versions()
  const answers = await attackOn(stage, attack)
  let said: string[] = []
  const isRefused = async () => {
    said = await answers()
    return said.some((b) => refused.test(b))
  }
  await stage.until(`${refused}`, isRefused).catch((e) => {
    throw new Error(`${e.message}; the status has: ${said.join('\n')}`)
  })
  for (const o of absent) expect(await stage.find(...o), o.join(' ')).toBeUndefined()
  expect(await versions()).toEqual(before)
}

/** Applies the manifests; reads refusals where they are reported. */
async function attackOn(
  stage: TenancyStage,
  { applied, module, pipeline }: AttackCase,
): Promise<() => Promise<string[]>> {
  if (pipeline !== undefined || module !== undefined) {
    await stage.apply(stage.dev, applied)
    return () => (module ? stage.blockers(TEAM, module) : stage.blockers(TEAM, pipeline ?? '', pipelineKind))
  }
  const error = await stage.apply(stage.dev, applied).then(
    () => 'applied',
    (e) => `${e}`,
  )
  return async () => [error]
}

const actingModule = (serviceAccountName: string, source: object) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name: 'a12', namespace: TEAM },
  spec: { source, targets: { hub: true }, serviceAccountName },
})

async function expectNoActing(stage: TenancyStage): Promise<void> {
  const refusal = async (account: string, source: object) => {
    const tried = await stage.tryApply(stage.editor, actingModule(account, source) as never)
    return tried.ok
      ? 'written'
      : `${tried.error.kind}: ${'message' in tried.error ? tried.error.message : ''}`
  }
  const denied = (account: string) =>
    expect.stringMatching(
      new RegExp(
        `^Forbidden: .*editor may not act as ServiceAccount ${TEAM}/${account}: a role must allow the verb impersonate on it$`,
      ),
    )
  expect(await refusal('admin', { none: {} })).toEqual(denied('admin'))
  expect(await refusal('lockstep-deployer', { none: {} })).toEqual(denied('lockstep-deployer'))
  await stage.apply(stage.dev, [actingModule('web', { none: {} })])
  expect(await refusal('web', { configMaps: [{ name: 'mine' }] })).toEqual(denied('web'))
}

/** A RoleBinding is enough: the controller needs neither a flag nor a restart. */
async function expectManagedLater(stage: TenancyStage): Promise<void> {
  await stage.apply(stage.admin, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } },
    {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'late', namespace: 'team-b' },
      spec: {
        targets: { hub: true },
        source: {
          inline: {
            objects: [
              { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late', namespace: 'team-b' } },
            ],
          },
        },
      },
    },
  ])
  const unmanaged =
    'NamespaceNotManaged: the controller may not read Secrets in team-b: lockstep install --namespaces team-b --controller=false'
  const isUnmanaged = async () => (await stage.blockers('team-b', 'late')).join() === unmanaged
  await stage.until(unmanaged, isUnmanaged)
  await stage.apply(stage.admin, managedNamespace('team-b', []))
  await stage.until('Module late is ready', () => isReady(stage, 'team-b', 'late'))
}

/** An account that does not exist is named. */
async function expectAccountMissing(stage: TenancyStage): Promise<void> {
  await stage.apply(stage.dev, [actingModule('ghost', { inline: { objects: [GHOST] } })])
  const text = `AccountMissing: ServiceAccount ${TEAM}/ghost does not exist; 1 of 1 objects are refused, nothing was written`
  await stage.until(text, async () => (await stage.blockers(TEAM, 'a12')).includes(text))
}

const GHOST = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ghost', namespace: TEAM } }

const RENEWED = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'renewed',
    namespace: PLATFORM,
    labels: { [CLUSTER_LABEL]: 'true' },
    annotations: { [RENEW_ANNOTATION]: '168h' },
  },
  data: { kubeconfig: btoa('a'), other: btoa('b') },
}

/** Changes with the account of the controller, and whether they are made. */
const BY_CONTROLLER: readonly (readonly [what: string, secret: string, patch: object, isMade: boolean])[] = [
  ['the kubeconfig', 'renewed', { data: { kubeconfig: btoa('c') } }, true],
  ['another key', 'renewed', { data: { other: btoa('c') } }, false],
  ['a new key', 'renewed', { data: { kubeconfig: btoa('d'), more: btoa('c') } }, false],
  ['a key that goes', 'renewed', { data: { other: null } }, false],
  ['an annotation', 'renewed', { metadata: { annotations: { x: 'y' } } }, false],
  ['a label', 'renewed', { metadata: { labels: { x: 'y' } } }, false],
  ['the end of renewal', 'renewed', { metadata: { annotations: { [RENEW_ANNOTATION]: null } } }, false],
  ['the kubeconfig of a cluster that is not renewed', 'c1', { data: { kubeconfig: btoa('c') } }, false],
  [
    'an annotation that would have it renewed',
    'c1',
    { metadata: { annotations: { [RENEW_ANNOTATION]: '1h' } } },
    false,
  ],
]

async function expectRenewalOnly(stage: TenancyStage): Promise<void> {
  await stage.apply(stage.admin, [RENEWED])
  for (const [what, name, patch, isMade] of BY_CONTROLLER) {
    const done = await stage.asController((client) =>
      client.patch(secretKind, { namespace: PLATFORM, name }, patch as never, {
        purpose: 'user',
        manager: 'lockstep',
        precondition: 'any',
      }),
    )
    expect([what, done.ok ? 'written' : done.error.kind]).toEqual([what, isMade ? 'written' : 'Forbidden'])
  }
  const gone = await stage.tryDelete('v1', 'Secret', 'renewed', PLATFORM)
  expect(gone.ok).toBe(true)
}

/** Not even an administrator deletes all configuration with one unconfirmed request. */
async function expectKept(stage: TenancyStage): Promise<void> {
  const refusal = async (apiVersion: string, kind: string, name: string) => {
    const gone = await stage.tryDelete(apiVersion, kind, name)
    return gone.ok ? 'deleted' : `${gone.error.kind}: ${'message' in gone.error ? gone.error.message : ''}`
  }
  // The client shortens long texts of servers in the middle.
  const unconfirmed = expect.stringMatching(/^Forbidden: .*confirm-deletion: [0-9a-f-]{36}$/)
  expect(
    await refusal('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'modules.lockstep.dev'),
  ).toEqual(unconfirmed)
  expect(await refusal('v1', 'Namespace', PLATFORM)).toEqual(unconfirmed)
}

/** On servers of one kind. */
export function runAttacks(servers: () => Promise<TenancyServers>): void {
  let stage: TenancyStage

  beforeAll(async () => {
    stage = new TenancyStage(await servers())
    await stage.open()
    await stage.apply(stage.admin, VICTIM)
    await stage
      .until('the platform is deployed', () => isReady(stage, PLATFORM, 'web'))
      .catch(async (e) => {
        throw new Error(`${e.message}: ${JSON.stringify((await stage.module(PLATFORM, 'web'))?.status)}`)
      })
  }, 120_000)
  afterAll(() => stage.close())

  describe('a user with the role edit in one namespace', () => {
    it('deploys to the hub where the role allows it', async () => {
      await stage.apply(stage.dev, OWN)
      await stage.until('Module own is ready', () => isReady(stage, TEAM, 'own'))
      expect(await stage.find('v1', 'ConfigMap', 'fine', TEAM)).toBeDefined()
    })
    it.each(attackCases.map((a) => [`${a.id} ${a.goal}`, a] as const))('%s', (_, attack) =>
      expectRefused(stage, attack),
    )
    it('A12 names no account that it may not impersonate', () => expectNoActing(stage))
    it('a Module of a namespace that is not managed waits, and starts with a RoleBinding', () =>
      expectManagedLater(stage))
    it('a Module names an account that does not exist', () => expectAccountMissing(stage))
    it('A19 the CRD of Modules, and a Namespace with Modules, are not deleted without a confirmation', () =>
      expectKept(stage))
    it.skipIf(TIER === 'short')(
      'an account without its RoleBinding writes nothing, and a Secret that changes later is not read',
      () => expectRevoked(stage),
      120_000,
    )
    it('no request of the controller is sent with a right of its own unless it is a record', async () => {
      const managed = new Set([PLATFORM, TEAM])
      expect(auditProblems(await stage.servers.audit(), { managed, profiles: [] })).toEqual([])
    })
    it('does not delay the platform: its next release is deployed', async () => {
      await stage.apply(stage.admin, VICTIM.replace('{name: web,', '{name: web2,'))
      const next = async () => {
        const blockers = await stage.blockers(PLATFORM, 'web')
        return blockers.length === 0 && (await isReady(stage, PLATFORM, 'web'))
      }
      expect(await stage.until('the next release', next)).toBe(true)
    })
    // The last one: its refusals are in the audit log.
    it('the controller itself changes of a Secret the kubeconfig that is renewed, and nothing else', () =>
      expectRenewalOnly(stage))
  })
}
