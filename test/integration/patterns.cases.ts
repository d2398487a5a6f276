/** Cluster groups of Validated Patterns, on clusters with the definitions of OLM and Argo CD. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ANY, established, failure, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type JsonObject, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { patternDefinitions } from '../../packages/simulators/src/olm/patterndefinitions.ts'
import { canRun, sharedData } from '../shareddata.ts'
import { TIER } from '../tier.ts'
import { counted } from './countedcluster.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { deliveredBy, grant } from './serviceaccount.ts'

const FORCE = { ...WRITE, precondition: 'any', force: true } as const
const olm = (version: string, kind: string, plural: string) =>
  defineKind({ group: 'operators.coreos.com', version, kind, plural, namespaced: true })
const subscriptionKind = olm('v1alpha1', 'Subscription', 'subscriptions')
const groupKind = olm('v1', 'OperatorGroup', 'operatorgroups')
const applicationKind = defineKind({
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
})
const jobKind = defineKind({ group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true })
const classKind = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
})

/** They stay: other cases of the cluster use them, too. */
async function defined(c: Corner): Promise<void> {
  for (const crd of patternDefinitions()) {
    value(await c.c1.apply(crdKind, crd as never, { ...FORCE, manager: 'olm' }))
    await established(c.c1, crd.metadata.name!)
  }
  // Whatever the case asks of these kinds next is answered then.
  // Its cache has begun with the first answer.
  for (const kind of [subscriptionKind, groupKind, applicationKind])
    for await (const _ of c.states(c.c1, kind, { ...READ, namespace: c.namespace })) break
}

/** Values files are keys of one ConfigMap, and the module renders them. */
async function group(c: Corner, files: Readonly<Record<string, string>>, more: object = {}): Promise<void> {
  const metadata = { name: 'values', namespace: c.namespace }
  value(
    await c.hub.apply(configMapKind, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: files }, FORCE),
  )
  await c.module('group', {
    source: { configMaps: [{ name: 'values' }] },
    render: { namespace: c.namespace, clusterGroup: { valuesFiles: Object.keys(files), ...more } },
  })
}

/** What OLM says once it has installed an operator. */
const report = async (c: Corner, o: KubeObject, status: JsonObject): Promise<void> => {
  const key = { namespace: o.metadata.namespace!, name: o.metadata.name! }
  const kind =
    o.kind === 'Subscription' ? subscriptionKind : o.kind === 'OperatorGroup' ? groupKind : applicationKind
  // Applications have no status of their own.
  const how = o.kind === 'Application' ? {} : { subresource: 'status' as const }
  value(await c.c1.patch(kind, key, { status }, { ...ANY, manager: 'operator', ...how }))
}

/** Less than the minute after which a controller without an event reads again. */
const SOON_MS = 20_000

/** The deep tier alone compares times: a busy machine needs longer. */
function expectSoon(c: Corner, begunMs: number): void {
  if (TIER === 'deep') expect(c.subject.env.clock.steady() - begunMs).toBeLessThan(SOON_MS)
}

const INSTALLED = { state: 'AtLatestKnown', lastUpdated: '2026-01-01T00:00:00Z' }
const race = (c: Corner): string => `global: {pattern: race, options: {useCSV: true}}
clusterGroup:
  name: hub
  subscriptions:
    virt: {name: virt, namespace: ${c.namespace}, annotations: {argocd.argoproj.io/sync-wave: "10"}}
    odf:
      name: odf
      namespace: ${c.namespace}
      annotations: {argocd.argoproj.io/sync-wave: "5"}
      sequenceJob: {resourceType: sc, resourceName: ${c.namespace}}
`

const WAITS: ReadonlySet<string> = new Set(['WaitNotFound', 'WaitKindNotServed', 'WaitForbidden'])

/** A storage class that the operator has made. */
async function classed(c: Corner): Promise<void> {
  const body = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: c.namespace } }
  value(await c.c1.create(classKind, { ...body, provisioner: 'example.com' } as never, WRITE))
}

const GROUPS = sharedData('corpus/clustergroup/ansible-edge-gitops')

/** What the patterns operator adds. */
const FACTS = {
  global: {
    repoURL: 'https://git.example.com/pattern.git',
    multiSourceRepoUrl: 'https://charts.example.com',
  },
}

const edge: FleetCase = {
  name: 'a pattern of four operators and eight applications is delivered as it is; once delivered it costs nothing',
  async run(c) {
    await defined(c)
    const argo = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ansible-edge-gitops-hub' } }
    value(await c.c1.apply(namespaceKind, argo, FORCE))
    const read = (file: string): string => readFileSync(join(GROUPS, file), 'utf8')
    const proxy = await counted(c)
    const files = {
      'values-global.yaml': read('values-global.yaml'),
      'values-hub.yaml': read('values-hub.yaml'),
    }
    await group(c, files, { values: FACTS })
    const { status } = await c.untilInventory('group', 'applied', (i) => {
      const { total = 0, applied } = i.status?.objects ?? {}
      return total > 25 && applied === total
    })
    expect(status?.objects).toMatchObject({ failed: 0, blocked: 0 })
    for (const kind of [subscriptionKind, groupKind, applicationKind])
      for (const o of value(await c.c1.list(kind, READ)).items) {
        if (o.metadata.labels?.['lockstep.dev/unit'] !== `m.${c.namespace}.group`) continue
        const isApplication = kind === applicationKind
        const said = { health: { status: 'Healthy' }, sync: { status: 'Synced', revision: 'abc' } }
        await report(c, { ...o, kind: kind.kind }, isApplication ? said : INSTALLED)
      }
    const first = (await c.untilReady('group')).status!.currentRevision
    const writes = () => proxy.answers.filter((a) => a.method !== 'GET').length
    const before = writes()
    const again = { ...files, 'values-hub.yaml': `# nothing else\n${files['values-hub.yaml']}` }
    await group(c, again, { values: FACTS })
    // Only what the ConfigMap says has changed, which no generation tells: without this it would be ready as before.
    await c.untilModule('group', 'published anew', (m) => m.status?.currentRevision !== first)
    await c.untilReady('group')
    expect(writes()).toBe(before)
    expect(proxy.answers.filter((a) => a.status >= 400 && a.status !== 404)).toEqual([])
    proxy.close()
  },
}

export const patternCases: readonly FleetCase[] = [
  {
    name: 'a wave with a sequenceJob ends when what its operator makes is there: without a Job, and at once',
    async run(c) {
      await defined(c)
      await group(c, { 'all.yaml': race(c) })
      const odf = await c.until(c.c1, subscriptionKind, 'odf', 'subscribed', (o) => o !== undefined)
      expect(odf.spec).not.toHaveProperty('startingCSV')
      await report(c, { ...odf, kind: 'Subscription' }, INSTALLED)
      const { status } = await c.untilInventory('group', 'waiting', (i) =>
        (i.status?.blockers ?? []).some((b) => b.reason === 'WaitNotFound'),
      )
      expect(status!.blockers!.map((b) => b.message)).toContain(
        `StorageClass ${c.namespace} (sc → storageclasses.storage.k8s.io) does not exist (wave 5, sequenceJob of odf)`,
      )
      const key = { namespace: c.namespace, name: 'virt' }
      expect(failure(await c.c1.get(subscriptionKind, key, READ)).kind).toBe('NotFound')
      await classed(c)
      const begun = c.subject.env.clock.steady()
      const virt = await c.until(c.c1, subscriptionKind, 'virt', 'subscribed', (o) => o !== undefined)
      expectSoon(c, begun)
      await report(c, { ...virt, kind: 'Subscription' }, INSTALLED)
      await c.untilReady('group')
      expect(value(await c.c1.list(jobKind, { ...READ, namespace: c.namespace })).items).toEqual([])
    },
  },
  {
    name: 'a wave waits for what the account of the delivery may not read: the right is named, and it goes on once it is given',
    async run(c) {
      await defined(c)
      const apiGroups = ['', 'operators.coreos.com', 'apiextensions.k8s.io']
      await deliveredBy(c, [{ apiGroups, resources: ['*'], verbs: ['*'] }])
      // It is there: an answer of `not found` would be wrong, too.
      await classed(c)
      await group(c, { 'all.yaml': race(c) })
      const odf = await c.until(c.c1, subscriptionKind, 'odf', 'subscribed', (o) => o !== undefined)
      const begun = c.subject.env.clock.steady()
      await report(c, { ...odf, kind: 'Subscription' }, INSTALLED)
      const { status } = await c.untilInventory('group', 'refused', (i) =>
        (i.status?.blockers ?? []).some((b) => WAITS.has(b.reason)),
      )
      expectSoon(c, begun)
      const [waits] = status!.blockers!.filter((b) => WAITS.has(b.reason))
      expect(waits).toMatchObject({
        reason: 'WaitForbidden',
        message: expect.stringContaining(
          `User "system:serviceaccount:${c.namespace}:deliver" cannot list resource "storageclasses" in API group "storage.k8s.io"`,
        ),
      })
      expect(
        failure(await c.c1.get(subscriptionKind, { namespace: c.namespace, name: 'virt' }, READ)).kind,
      ).toBe('NotFound')
      const verbs = ['get', 'list', 'watch']
      await grant(c, 'classes', [{ apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs }])
      await c.until(c.c1, subscriptionKind, 'virt', 'subscribed', (o) => o !== undefined)
    },
  },
  {
    name: 'a Subscription whose first InstallPlan nobody has approved is named; one whose next one waits is well',
    async run(c) {
      await defined(c)
      await group(c, { 'all.yaml': race(c).replace(/ {6}sequenceJob.*\n/, '') })
      const odf = await c.until(c.c1, subscriptionKind, 'odf', 'subscribed', (o) => o !== undefined)
      const plan = { type: 'InstallPlanPending', status: 'True', reason: 'RequiresApproval' }
      const waits = { ...INSTALLED, state: 'UpgradePending', conditions: [plan] }
      await report(c, { ...odf, kind: 'Subscription' }, waits)
      await c.untilInventory('group', 'waiting for approval', (i) =>
        (i.status?.blockers ?? []).some((b) => b.message.endsWith('InstallPlan waits for approval')),
      )
      await report(c, { ...odf, kind: 'Subscription' }, { ...waits, installedCSV: 'odf.v1' })
      const virt = await c.until(c.c1, subscriptionKind, 'virt', 'subscribed', (o) => o !== undefined)
      expect(at(virt, 'spec', 'name')).toBe('virt')
    },
  },
  ...(canRun('the pattern ansible-edge-gitops', GROUPS) ? [edge] : []),
]
