/** A Module whose account appears, and then gets its rights. */
import { expect, it } from 'vitest'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { startDemoFleet } from '../../packages/lockstep/src/cli/commands/demo/demofleet.ts'
import {
  accountManifest,
  bindingManifest,
} from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'

const NAMESPACE = 'platform'
const ACCOUNT = { name: 'web', namespace: NAMESPACE }
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made', namespace: NAMESPACE } }
const SOURCE = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'source', namespace: NAMESPACE },
  data: { 'a.yaml': JSON.stringify(OBJECT) },
}

it.each([
  ['its objects', { inline: { objects: [OBJECT] } }, 'create configmaps', /; 1 of 1 objects are refused/],
  ['its source', { configMaps: [{ name: 'source' }] }, 'get configmaps/source', /^/],
])('the refusal of %s names the account, then the right, and ends', async (_, source, right, more) => {
  const fleet = await startDemoFleet('accounts', [])
  const put = (o: object): void => {
    const made = fleet.local.hub.local.create(o as KubeObject, 'test')
    if (!made.ok) throw new Error(made.error.message)
  }
  const status = () =>
    (
      fleet.local.hub.local.get('modules.lockstep.dev', NAMESPACE, 'web') as unknown as
        | Pick<Module, 'status'>
        | undefined
    )?.status
  const ready = () => status()?.conditions?.find((c) => c.type === 'Ready')
  /** Blockers of units, and the condition of a source. */
  const said = () => [...(status()?.blockers ?? []), ready()].map((b) => `${b?.reason}: ${b?.message}`)
  const until = async (text: string, seconds: number): Promise<void> => {
    const isSaid = () => said().some((s) => s.startsWith(text) && more.test(s))
    await fleet.env.clock.run(isSaid, seconds * 1000)
    expect(said().find((s) => s.startsWith(text)) ?? said(), text).toEqual(expect.stringMatching(more))
  }
  put(SOURCE)
  const spec = { targets: { hub: true }, source, serviceAccountName: ACCOUNT.name }
  put({ apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', metadata: ACCOUNT, spec })
  await until('AccountMissing: ServiceAccount platform/web does not exist', 15)
  put(accountManifest(ACCOUNT))
  await until(
    `Forbidden: system:serviceaccount:platform:web cannot ${right} in namespace platform on hub`,
    12,
  )
  put(bindingManifest(ACCOUNT, { kind: 'ClusterRole', name: 'edit' }, { kind: 'ServiceAccount', ...ACCOUNT }))
  await fleet.env.clock.run(() => ready()?.status === 'True', 30_000)
  fleet.stop()
  expect(ready()).toMatchObject({ status: 'True' })
  expect(fleet.local.hub.local.get('configmaps', NAMESPACE, 'made')).toBeDefined()
})
