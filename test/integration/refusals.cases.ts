/** What goes wrong says what, where and what to do, and leaves everything else running. */
import { expect } from 'vitest'
import { ANY, deploymentKind, failure, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { config, definition, deployment, gadget } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'

/** The module's first reason for not being ready, once it has that reason. */
export async function reasonOf(c: Corner, module: string, reason: string) {
  const m = await c.untilModule(
    module,
    reason,
    (o) => o.status?.blockers?.some((b) => b.reason === reason) === true,
  )
  const blocker = m.status!.blockers!.find((b) => b.reason === reason)!
  return { module: m, blocker, message: blocker.message }
}

/** The unit's reason: what a cluster refuses is told by its Inventory. */
export async function unitReasonOf(c: Corner, module: string, reason: string) {
  const i = await c.untilInventory(
    module,
    reason,
    (o) => o.status?.blockers?.some((b) => b.reason === reason) === true,
  )
  return i.status!.blockers!.find((b) => b.reason === reason)!.message
}

const objects: readonly FleetCase[] = [
  {
    name: 'two modules claim one object: the second does not start, and says whose it is; the first keeps it',
    async run(c) {
      await c.release('first', 1, [config('shared', c.namespace, { by: 'first' })])
      await c.untilReady('first')
      await c.release('second', 1, [
        config('shared', c.namespace, { by: 'second' }),
        config('own', c.namespace, {}),
      ])
      const { message } = await reasonOf(c, 'second', 'OwnedByAnother')
      expect(message).toMatch(/ConfigMap.*shared.*first/)
      expect(
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'shared' }, READ)).data,
      ).toEqual({ by: 'first' })
      expect((await c.c1.get(configMapKind, { namespace: c.namespace, name: 'own' }, READ)).ok).toBe(false)
    },
  },
  {
    name: 'a field that may not change: ImmutableField with its path; with dry runs nothing else is written, without them the rest is delivered',
    async run(c) {
      const before = deployment('d', c.namespace, 'd:v1')
      await c.release('base', 1, [before])
      await c.untilReady('base')
      const other = { matchLabels: { app: 'other' } }
      const template = { ...before.spec.template, metadata: { labels: { app: 'other' } } }
      const changed = { ...before, spec: { ...before.spec, selector: other, template } }
      const updates = { apply: { dryRun: 'Updates' } }
      await c.release('base', 2, [changed, config('beside', c.namespace, { v: '2' })], updates)
      const message = await unitReasonOf(c, 'base', 'ImmutableField')
      expect(message).toMatch(/Deployment.*d.*spec\.selector.*immutable/)
      const beside = await c.c1.get(configMapKind, { namespace: c.namespace, name: 'beside' }, READ)
      expect(beside.ok).toBe(false)
      const never = { apply: { dryRun: 'Never' } }
      await c.release('base', 2, [changed, config('beside', c.namespace, { v: '2' })], never)
      await c.until(c.c1, configMapKind, 'beside', 'there', (o) => o?.data?.v === '2')
      const live = value(await c.c1.get(deploymentKind, { namespace: c.namespace, name: 'd' }, READ))
      expect(live).toMatchObject({ spec: { selector: { matchLabels: { app: 'd' } } } })
    },
  },
  {
    name: 'an object that the server refuses: ApplyFailed with its field; the rest is delivered',
    async run(c) {
      const group = `${c.namespace}.x.test`
      await c.release('kinds', 1, [definition(group)])
      await c.untilReady('kinds')
      await c.release('base', 1, [
        gadget(group, 'bad', c.namespace, 0),
        config('beside', c.namespace, { v: '1' }),
      ])
      const message = await unitReasonOf(c, 'base', 'ApplyFailed')
      expect(message).toMatch(/Gadget.*bad.*spec\.size.*greater than or equal to 1/)
      await c.until(c.c1, configMapKind, 'beside', 'there', (o) => o !== undefined)
      const base = await c.untilModule('base', 'failed', (m) => (m.status?.rollout?.failed?.length ?? 0) > 0)
      expect(base.status?.rollout?.failed?.[0]).toMatchObject({
        cluster: 'c1',
        message: expect.stringContaining('spec.size'),
      })
      await c.release('base', 2, [gadget(group, 'bad', c.namespace, 2)])
      await c.untilReady('base')
    },
  },
  {
    name: 'a field that the kind does not have: ApplyFailed names it',
    async run(c) {
      const d = deployment('d', c.namespace, 'd:v1')
      await c.release('base', 1, [
        { ...d, spec: { ...d.spec, replicaz: 2 } },
        config('beside', c.namespace, {}),
      ])
      expect(await unitReasonOf(c, 'base', 'ApplyFailed')).toMatch(/Deployment.*d.*replicaz/)
      await c.until(c.c1, configMapKind, 'beside', 'there', (o) => o !== undefined)
    },
  },
  {
    name: 'a kind that nobody serves: KindNotServed names it; the rest is delivered',
    async run(c) {
      await c.release('base', 1, [
        gadget('nowhere.test', 'g', c.namespace, 1),
        config('beside', c.namespace, {}),
      ])
      expect(await unitReasonOf(c, 'base', 'KindNotServed')).toMatch(/nowhere\.test\/v1 Gadget/)
      await c.until(c.c1, configMapKind, 'beside', 'there', (o) => o !== undefined)
    },
  },
]

const inputs: readonly FleetCase[] = [
  {
    name: 'an empty render publishes nothing and keeps what is there',
    async run(c) {
      await c.release('base', 1, [config('a', c.namespace, { v: '1' })])
      await c.untilReady('base')
      await c.manifests('empty', [])
      await c.module('base', { release: 'v2', source: { configMaps: [{ name: 'empty' }] } })
      const { message, module } = await reasonOf(c, 'base', 'EmptyRender')
      expect(message).toContain('apply.allowEmpty')
      expect(condition(module, 'Stalled')?.status).toBe('True')
      expect(value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'a' }, READ)).data).toEqual({
        v: '1',
      })
    },
  },
  {
    name: 'a dependency cycle is named, and nothing of it is delivered',
    async run(c) {
      const needs = (name: string) => ({ dependsOn: [{ id: name, module: { kind: 'Module', name } }] })
      await c.release('one', 1, [config('one', c.namespace, {})], needs('two'))
      await c.untilModule('one', 'published', (m) => m.status?.currentRevision !== undefined)
      await c.release('two', 1, [config('two', c.namespace, {})], needs('one'))
      const { message } = await reasonOf(c, 'two', 'CycleDetected')
      expect(message).toMatch(/one → two → one|two → one → two/)
      expect(failure(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'two' }, READ)).kind).toBe(
        'NotFound',
      )
    },
  },
  {
    name: 'a ConfigMap key that is missing: named with those that are there; it goes on once it comes',
    async run(c) {
      await c.manifests('input', [config('a', c.namespace, {})])
      await c.module('base', { source: { configMaps: [{ name: 'input', key: 'other.yaml' }] } })
      const { message } = await reasonOf(c, 'base', 'ResourceNotFound')
      expect(message).toMatch(/spec\.source\.configMaps\[0\].*input.*other\.yaml.*all\.yaml/)
      const text = JSON.stringify(config('a', c.namespace, {}))
      const key = { namespace: c.namespace, name: 'input' }
      value(await c.hub.patch(configMapKind, key, { data: { 'other.yaml': text } }, ANY))
      await c.untilReady('base')
    },
  },
  {
    name: 'YAML that cannot be read: with its ConfigMap, key and line',
    async run(c) {
      await c.manifests('input', [])
      const key = { namespace: c.namespace, name: 'input' }
      value(await c.hub.patch(configMapKind, key, { data: { 'all.yaml': 'a: 1\nb: [1, 2\nc: 3\n' } }, ANY))
      await c.module('base', { source: { configMaps: [{ name: 'input' }] } })
      const m = await c.untilModule('base', 'stalled', (o) => condition(o, 'Stalled')?.status === 'True')
      expect(m.status?.blockers?.[0]?.message).toMatch(/input key all\.yaml.*(3:|line 3)/)
    },
  },
  {
    name: 'one object twice in a bundle: named, with both places',
    async run(c) {
      await c.manifests('one', [config('a', c.namespace, { v: '1' })])
      await c.manifests('two', [config('a', c.namespace, { v: '2' })])
      await c.module('base', { source: { configMaps: [{ name: 'one' }, { name: 'two' }] } })
      const { message } = await reasonOf(c, 'base', 'DuplicateObject')
      expect(message).toMatch(/ConfigMap.*a occurs twice.*one.*two/)
    },
  },
  {
    name: 'a module that is needed and does not exist: DependencyMissing names it; it goes on once it comes',
    async run(c) {
      await c.release('app', 1, [config('app', c.namespace, {})], {
        dependsOn: [{ id: 'base', module: { kind: 'Module', name: 'base' } }],
      })
      expect((await reasonOf(c, 'app', 'DependencyMissing')).message).toContain('base')
      await c.release('base', 1, [config('base', c.namespace, {})])
      await c.untilReady('app')
    },
  },
]

const clusters: readonly FleetCase[] = [
  {
    name: 'a kubeconfig that cannot be used names Secret and field; the other cluster is delivered to',
    async run(c) {
      const exec = { command: 'aws' }
      const config1 = JSON.parse(c.subject.c1.kubeconfig) as { users: { name: string; user: object }[] }
      const users = config1.users.map((u) => ({ ...u, user: { exec } }))
      await c.cluster('bad', JSON.stringify({ ...config1, users }))
      await c.cluster('worse', 'not: [a kubeconfig')
      await c.release('base', 1, [config('a', c.namespace, { v: '1' })], {
        targets: { clusters: ['bad', 'c1', 'worse'] },
        rollout: { strategy: 'Replace', maxUnreachable: '100%' },
      })
      await c.untilInventory('base', 'ready', (i) => i.status?.state === 'Ready')
      const refused = (m: Stored<Module>) =>
        m.status?.blockers?.filter((b) => b.reason === 'CredentialRefused') ?? []
      const module = await c.untilModule('base', 'told of both', (m) => refused(m).length === 2)
      const messages = refused(module).map((b) => b.message)
      expect(messages.join('\n')).toMatch(/bad.*users\[0\]\.user\.exec/)
      expect(messages.join('\n')).toMatch(/worse.*line \d/)
    },
  },
  {
    name: 'a field that a Module does not have is refused by the server',
    async run(c) {
      const body = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Module',
        metadata: { name: 'base', namespace: c.namespace },
        spec: { source: { inline: { objects: [] } }, sauce: {} },
      }
      const o = { ...ANY, validate: 'Strict' } as const
      const e = failure(await c.hub.apply(moduleKind, body as never, o))
      expect(e).toMatchObject({ kind: 'Invalid', wrote: 'no' })
      expect(JSON.stringify(e)).toContain('spec.sauce')
    },
  },
]

export const refusalCases: readonly FleetCase[] = [...objects, ...inputs, ...clusters]
