import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually, type Ran, type ServedFleet, startFleet } from './lockstep.ts'
import { sit } from './person.ts'

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web}
spec:
  release: "1"
  source: {configMaps: [{name: web}]}
  targets: {clusterSelector: {}}
  apply: {drift: Observe}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  all.yaml: |
    {apiVersion: v1, kind: ConfigMap, metadata: {name: shop, namespace: default}, data: {mode: ours}}
    ---
    {apiVersion: v1, kind: ConfigMap, metadata: {name: fluxed, namespace: default}, data: {mode: ours}}
    ---
    {apiVersion: v1, kind: Secret, metadata: {name: door, namespace: default}, stringData: {key: open-sesame, other: same}}
`

/** With a CRD for what says that Flux is at work. */
const FLUX = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kustomizations.kustomize.toolkit.fluxcd.io}
spec:
  group: kustomize.toolkit.fluxcd.io
  scope: Namespaced
  names: {kind: Kustomization, plural: kustomizations, singular: kustomization, listKind: KustomizationList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

let fleet: ServedFleet
const run = (args: string, answer?: string): Promise<Ran> =>
  sit(`${args} -n platform`.split(' '), {
    variables: { KUBECONFIG: fleet.kubeconfig },
    ...(answer === undefined ? {} : { answer, columns: 100 }),
  })

/** Server-side apply on the cluster by somebody. */
async function put(path: string, manager: string, yaml: string): Promise<void> {
  const done = await kubeFetch(fleet.kubeconfig, 'cluster-1', `${path}?fieldManager=${manager}&force=true`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: yaml,
  })
  expect([await done.clone().text(), done.status < 300]).toEqual([expect.anything(), true])
}

const CMS = '/api/v1/namespaces/default/configmaps'
const config = (name: string, data: string, meta: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, ${meta}}, data: ${data}}`

const suspend = (is: boolean): Promise<void> =>
  put(
    '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/apps',
    'flux',
    `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: apps}, spec: {suspend: ${is}}}`,
  )

beforeAll(async () => {
  fleet = await startFleet(1)
  await put(
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/kustomizations.kustomize.toolkit.fluxcd.io',
    'a',
    FLUX,
  )
  await eventually(
    () =>
      suspend(false).then(
        () => true,
        () => false,
      ),
    'Kustomizations are served',
  )
  const helm = 'annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: default}'
  await put(`${CMS}/shop`, 'helm', config('shop', '{mode: old, gone: "1"}', helm))
  const flux =
    'labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: default}'
  await put(`${CMS}/fluxed`, 'kustomize-controller', config('fluxed', '{mode: old}', flux))
  const variables = { KUBECONFIG: fleet.kubeconfig }
  expect(await sit(['apply', '-n', 'platform', '-f', '-'], { variables, input: MODULE })).toMatchObject({
    code: 0,
  })
  await eventually(
    async () => (await run('status web -o json')).out.includes('AdoptionRefused'),
    'the cluster says whose the objects are',
  )
})
afterAll(async () => {
  await fleet.stop()
})

describe('objects of others', { sequential: true }, () => {
  it('are shown with whose they are, and with what to do; nothing is written', async () => {
    const { code, out } = await run('adopt web@cluster-1 --dry-run')
    expect(code).toBe(1)
    expect(out).toContain('web on cluster-1: 2 external objects')
    expect(out).toMatch(/ConfigMap default\/shop +Helm release default\/shop +helm\n/)
    expect(out).toContain('which is not suspended; flux suspend kustomization apps -n default')
    expect((await run('diff web')).err).toMatch(/belongs to Flux Kustomization default\/apps; suspend that/)
  })
  it('stay whose they are when a person does not want it', async () => {
    const { code, out, err } = await run('adopt web', 'no')
    expect([code, err]).toEqual([1, 'Adopt 1 object? Type yes to continue.\nNothing was changed.\n'])
    expect(out).toContain('ConfigMap default/shop')
    expect((await run('adopt web --dry-run -o json')).out).toContain('"taken": false')
  })
  it('are taken over once a person says yes, but for what is still in use', async () => {
    const { code, err } = await run('adopt web', 'yes')
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('adopted ConfigMap default/shop from Helm release default/shop'),
    ])
    await suspend(true)
    const left = await run('adopt web --yes -o json')
    expect([left.code, JSON.parse(left.out).units[0].objects]).toEqual([
      0,
      [expect.objectContaining({ name: 'fluxed', from: 'Flux Kustomization default/apps', taken: true })],
    ])
    await eventually(async () => (await run('diff web')).code === 0, 'everything is delivered')
    expect((await run('wait module/web --timeout 30s')).code).toBe(0)
    expect(await run('adopt web --yes')).toMatchObject({ code: 0 })
  })
})

describe('what others changed', { sequential: true }, () => {
  it('is shown as a diff that names them, and of a Secret without values', async () => {
    const secret = (key: string) =>
      `{apiVersion: v1, kind: Secret, metadata: {name: door}, stringData: {key: ${key}}}`
    await put('/api/v1/namespaces/default/secrets/door', 'somebody', secret('let-me-in'))
    await put(
      `${CMS}/shop`,
      'kubectl-edit',
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: shop}, data: {mode: theirs}}',
    )
    const { code, out, err } = await run('diff web@cluster-1 --drift')
    expect([code, err]).toEqual([1, ''])
    expect(out).toMatch(/\n~ web on cluster-1: 2 objects to change\n$/)
    expect(out).toContain(`ConfigMap default/shop on cluster-1: taken .data.mode by "kubectl-edit"
--- live/cluster-1/ConfigMap/default/shop
+++ 1/cluster-1/ConfigMap/default/shop
`)
    expect(out).toContain('\n-  mode: theirs\n+  mode: ours\n')
    expect(out).toContain('\n-  key: "*** (before)"\n+  key: "*** (after)"\n   other: "***"\n')
    let status = ''
    const isSaid = async (): Promise<boolean> => {
      status = (await run('status web')).out
      return status.includes('DriftDetected')
    }
    await eventually(isSaid, 'the drift is in the status', () => status)
    const texts = [out, (await run('diff web -o yaml')).out, status]
    for (const secretText of ['open-sesame', 'let-me-in', 'b3Blbi1zZXNhbWU=', 'bGV0LW1lLWlu'])
      expect(texts.join('')).not.toContain(secretText)
  })
})

describe('objects of a lost Inventory', { sequential: true }, () => {
  const INVENTORY = '/apis/lockstep.dev/v1alpha1/namespaces/platform/inventories/m.web.cluster-1'
  const send = (server: string, path: string, init: object): Promise<{ status: number }> =>
    kubeFetch(fleet.kubeconfig, server, path, init)
  const lose = async (): Promise<void> => {
    const stamp = '/api/v1/namespaces/lockstep-system/configmaps/lockstep-stamp-m.platform.web'
    expect((await send('cluster-1', stamp, { method: 'DELETE' })).status).toBe(200)
    const body = '{"metadata": {"finalizers": null}}'
    const headers = { 'content-type': 'application/merge-patch+json' }
    expect((await send('hub', INVENTORY, { method: 'PATCH', headers, body })).status).toBe(200)
    expect((await send('hub', INVENTORY, { method: 'DELETE' })).status).toBe(200)
  }

  it('whose stamp is lost, too, are named by status and check, and adopted by the printed command', async () => {
    await lose()
    let status = ''
    const isLost = async (): Promise<boolean> => {
      status = (await run('status web')).out
      return status.includes('InventoryLost')
    }
    await eventually(isLost, 'the unit says that its Inventory is lost', () => status)
    expect((await run('check')).out).toMatch(
      /platform\/web@cluster-1[\s\S]*InventoryLost: 3 objects on cluster-1/,
    )
    const shown = await run('adopt --from-markers web@cluster-1 --dry-run')
    expect([shown.code, shown.err]).toEqual([0, ''])
    expect(shown.out).toMatch(/web on cluster-1: 3 external objects/)
    const done = await run('adopt --from-markers web@cluster-1', 'yes')
    expect([done.code, done.err]).toEqual([
      0,
      expect.stringContaining('cluster-1: adopted Secret default/door'),
    ])
    expect((await run('wait module/web --timeout 30s')).code).toBe(0)
    expect((await run('adopt --from-markers --all --yes')).code).toBe(0)
    expect((await run('check')).out).not.toContain('InventoryLost')
  })

  it.each([
    ['adopt --all --yes', '--all and --from-hub require --from-markers'],
    ['adopt --yes', 'a unit is missing'],
    ['adopt web --from-markers --all --yes', '--all takes no unit'],
  ])('%s is refused', async (args, problem) => {
    expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining(problem) })
  })
})
