/** What `lockstep plan --order` prints is what happens. */
import { expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { parseYamlStream, refOf, refText } from '../../packages/kube/src/object/index.ts'
import { orderSteps, orderText } from '../../packages/lockstep/src/decisions/order/ordersteps.ts'
import { graphOf } from '../order.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody' } as const

const note = (text: string, notes: Readonly<Record<string, string>>): string =>
  text.replace(
    'metadata: {',
    `metadata: {annotations: {${Object.entries(notes).map(([k, v]) => `${k}: ${JSON.stringify(v)}`)}}, `,
  )

const WAVE = 'argocd.argoproj.io/sync-wave'

const implied = [
  deploymentManifest('web', 'web:1').replace(
    'containers:',
    'serviceAccountName: web\n      volumes: [{name: c, configMap: {name: settings}}]\n      containers:',
  ),
  configManifest('settings', '1'),
  'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, namespace: default}\n',
  'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
  configManifest('in-shop', '1').replace('namespace: default', 'namespace: shop'),
]

const waves = [
  note(configManifest('late', '1'), { [WAVE]: '5' }),
  note(deploymentManifest('db', 'db:1'), { [WAVE]: '-1' }),
  note(configManifest('first', '1'), { [WAVE]: '-5' }),
  configManifest('middle', '1'),
  'apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: default}\n',
]

const steps = [
  note(configManifest('first', '1'), { 'lockstep.dev/step': '7', [WAVE]: '2' }),
  note(configManifest('last', '1'), { 'lockstep.dev/step': '10' }),
  note(deploymentManifest('db', 'db:1'), { [WAVE]: '3' }),
  configManifest('middle', '1'),
  note(configManifest('then', '1'), { 'lockstep.dev/step': '7', [WAVE]: '-1' }),
]

const explicit = [
  note(configManifest('a', '1'), { 'lockstep.dev/depends-on': '/namespaces/default/ConfigMap/b' }),
  note(configManifest('b', '1'), { 'kapp.k14s.io/change-rule': 'upsert after upserting base' }),
  note(configManifest('z', '1'), { 'kapp.k14s.io/change-group': 'base' }),
  note(configManifest('c', '1'), {
    'config.kubernetes.io/depends-on':
      '/namespaces/default/ConfigMap/a,apps/namespaces/default/Deployment/db',
  }),
  deploymentManifest('db', 'db:1'),
  note(configManifest('d', '1'), {
    'lockstep.dev/wait-for': '[{"apiVersion": "v1", "kind": "ConfigMap", "name": "outside"}]',
  }),
]

it.each([
  ['that manifests imply', implied],
  ['of waves', waves],
  ['of steps', steps],
  ['of annotations of several tools', explicit],
])('an order %s is delivered as it is printed (38)', async (what, manifests) => {
  const text = manifests.join('---\n')
  const graph = graphOf(parseYamlStream(text) as never)
  const planned = orderSteps(graph).filter((s) => s.action === 'apply')
  const story = await Story.begin(`plan ${what}`, ['edge'])
  const outside = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'outside', namespace: 'default' } }
  must(await story.during(story.fleet.clusters.get('edge')!.client.create(configMapKind, outside, USER)))
  await story.config('all', text)
  await story.module('m', 'all')
  expect(await story.until(() => story.isReady('m'))).toBe(true)
  const ours = story.fleet.commits.filter(
    (c) => c.cluster === 'edge' && c.actor === 'lockstep' && c.verb === 'create',
  )
  const observed = ours.map((c) => refText(refOf(c.next!))).filter((name) => !name.includes('lockstep-'))
  expect(observed).toEqual(planned.map((s) => s.object))
  expect(new Set(planned.map((s) => s.number)).size).toBeGreaterThan(1)
})

it('each step names what it waits for, the annotation that says so, and whose it is', () => {
  const lines = orderText(graphOf(parseYamlStream(explicit.join('---\n')) as never))
  expect(lines).toEqual([
    '1. apply ConfigMap default/z',
    '1. apply apps/Deployment default/db',
    '1. wait for ConfigMap default/outside (Exists)',
    '2. apply ConfigMap default/d after ConfigMap default/outside Exists (Own: lockstep.dev/wait-for)',
    '2. apply ConfigMap default/b after kapp.k14s.io/change-group after base Applied (Kapp: kapp.k14s.io/change-rule upsert after upserting base)',
    '3. apply ConfigMap default/a after ConfigMap default/b Healthy (Own: lockstep.dev/depends-on)',
    '4. apply ConfigMap default/c after ConfigMap default/a Healthy (CliUtils: config.kubernetes.io/depends-on); apps/Deployment default/db Healthy (CliUtils: config.kubernetes.io/depends-on)',
  ])
})
