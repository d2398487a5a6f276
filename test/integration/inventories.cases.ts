/** Clusters as inventories know them: kinds that are installed while the controllers run, their credentials, and their end. */
import { expect } from 'vitest'
import { ANY, established, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { Endpoint } from '../../packages/kube/src/env/net.ts'
import { configMapKind, crdKind, type Secret, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { apiVersionOf, bytesToBase64, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { type Inventory, inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { ORPHANED_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { clusterApiKinds, kubeconfigName } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import { clusterProfileKinds } from '../../packages/lockstep/src/fleet/inventories/clusterprofile.ts'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { argoSecret, clusterDefinition, kubeconfigSecret, profileDefinition } from './inventorykinds.ts'
import { reasonOf } from './refusals.cases.ts'

const FORCE = { ...WRITE, precondition: 'any', force: true } as const
const clusterKind = clusterApiKinds[0]!
const profileKind = clusterProfileKinds[0]!

const base64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))

/** Only what the case registers is there. */
async function begin(c: Corner, definition: object): Promise<void> {
  value(await c.hub.delete(secretKind, { namespace: c.namespace, name: 'c1' }, ANY))
  const body = definition as KubeObject
  value(await c.hub.apply(crdKind, body, FORCE))
  await established(c.hub, body.metadata.name!)
}

async function put(c: Corner, kind: Kind, name: string, status: object, labels = {}): Promise<void> {
  const body = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace: c.namespace, labels },
    spec: {},
  }
  const made = value(await c.hub.apply(kind, body, FORCE))
  const patch = { status } as never
  value(await c.hub.patch(kind, made.metadata, patch, { ...ANY, subresource: 'status' }))
}

const UP = { initialization: { controlPlaneInitialized: true } }

const kubeconfigOf = (c: Corner, cluster: string) =>
  kubeconfigSecret(cluster, c.namespace, c.subject.c1.kubeconfig) as unknown as Secret

async function kubeconfig(c: Corner, cluster: string): Promise<void> {
  value(await c.hub.apply(secretKind, kubeconfigOf(c, cluster), FORCE))
}

/** How the cluster is reached. */
function endpointOf(c: Corner): Endpoint {
  const parsed = parseKubeconfig(c.subject.c1.kubeconfig, 'Person')
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value.source.endpoint
}

const tokenOf = ({ headers }: Endpoint): string | undefined => headers?.authorization?.replace('Bearer ', '')

const inventoryOn = (c: Corner, cluster: string, what: string, holds: (i: Stored<Inventory>) => boolean) =>
  c.until(c.hub, inventoryKind, `m.web.${cluster}`, what, (o) => o !== undefined && holds(o))

const version = async (c: Corner): Promise<string> =>
  value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ)).metadata.resourceVersion

const release = (c: Corner) =>
  c.release('web', 1, [config('web', c.namespace, { v: '1' })], { targets: { clusterSelector: {} } })

export const inventoryCases: readonly FleetCase[] = [
  {
    name: 'a Cluster of Cluster API: waited for, delivered to, and left alone when it is gone',
    async run(c) {
      await begin(c, clusterDefinition())
      await put(c, clusterKind, 'eu', UP)
      await release(c)
      const { message } = await reasonOf(c, 'web', 'KubeconfigMissing')
      expect(message).toContain(`Secret ${c.namespace}/eu-kubeconfig`)
      await kubeconfig(c, 'eu')
      await c.untilReady('web')
      const before = await version(c)
      value(await c.hub.delete(clusterKind, { namespace: c.namespace, name: 'eu' }, ANY))
      const isOrphan = (i: Stored<Inventory>) => i.metadata.annotations?.[ORPHANED_ANNOTATION] !== undefined
      await inventoryOn(c, 'eu', 'an orphan', isOrphan)
      await put(c, clusterKind, 'eu', UP)
      await inventoryOn(c, 'eu', 'no orphan', (i) => !isOrphan(i))
      await c.untilReady('web')
      expect(await version(c)).toBe(before)
    },
  },
  {
    name: 'a kubeconfig of Cluster API that is gone is said, and what is connected goes on',
    async run(c) {
      await begin(c, clusterDefinition())
      await kubeconfig(c, 'eu')
      await put(c, clusterKind, 'eu', UP)
      await release(c)
      await c.untilReady('web')
      value(await c.hub.delete(secretKind, { namespace: c.namespace, name: kubeconfigName('eu') }, ANY))
      await reasonOf(c, 'web', 'KubeconfigMissing')
      await c.release('web', 2, [config('web', c.namespace, { v: '2' })], {
        targets: { clusterSelector: {} },
      })
      await c.until(c.c1, configMapKind, 'web', 'changed', (o) => o?.data?.v === '2')
    },
  },
  {
    name: 'one cluster as Cluster and as Secret: one unit, and a hand-over without a write',
    async run(c) {
      await begin(c, clusterDefinition())
      await kubeconfig(c, 'eu')
      await put(c, clusterKind, 'eu', UP)
      await release(c)
      await c.untilReady('web')
      await c.cluster('same', c.subject.c1.kubeconfig)
      const { message } = await reasonOf(c, 'web', 'DuplicateOf')
      expect(message).toBe(`Secret ${c.namespace}/same is the same cluster as Cluster ${c.namespace}/eu`)
      const before = await version(c)
      value(await c.hub.delete(clusterKind, { namespace: c.namespace, name: 'eu' }, ANY))
      await c.untilModule('web', 'alone', (m) => (m.status?.blockers ?? []).length === 0)
      await c.untilReady('web')
      expect(await version(c)).toBe(before)
      const scope = { ...READ, namespace: c.namespace }
      const inventories = value(await c.hub.list(inventoryKind, scope)).items.map((i) => i.metadata.name)
      expect(inventories).toEqual(['m.web.eu'])
    },
  },
  {
    name: 'a cluster Secret of Argo CD, with what it may say of its credential',
    async run(c) {
      await begin(c, clusterDefinition())
      const { url, tls, ...rest } = endpointOf(c)
      const data = {
        ...(tls?.ca ? { caData: base64(tls.ca) } : {}),
        ...(tls?.cert && tls.key ? { certData: base64(tls.cert), keyData: base64(tls.key) } : {}),
      }
      const token = tokenOf({ url, ...rest })
      const argo = argoSecret('argo', c.namespace, url, {
        ...(token === undefined ? {} : { bearerToken: token }),
        tlsClientConfig: data,
      })
      value(await c.hub.apply(secretKind, argo as unknown as Secret, FORCE))
      await release(c)
      await c.untilReady('web')
      expect(await version(c)).toBeDefined()
    },
  },
  {
    name: 'a ClusterProfile, by a program that gives its credential',
    async run(c) {
      await begin(c, profileDefinition())
      const { url, tls, ...rest } = endpointOf(c)
      const token = tokenOf({ url, ...rest })
      const status = {
        ...(token === undefined ? {} : { token }),
        ...(tls?.cert && tls.key ? { clientCertificateData: tls.cert, clientKeyData: tls.key } : {}),
      }
      const cluster = {
        server: url,
        ...(tls?.ca ? { 'certificate-authority-data': base64(tls.ca) } : {}),
        extensions: [{ name: 'client.authentication.k8s.io/exec', extension: status }],
      }
      await put(c, profileKind, 'eu', { accessProviders: [{ name: 'echo', cluster }] })
      await put(c, profileKind, 'us', { accessProviders: [{ name: 'other', cluster }] })
      await c.release('web', 1, [config('web', c.namespace, { v: '1' })], {
        targets: { clusterSelector: {} },
        rollout: { maxUnreachable: '100%' },
      })
      await c.until(c.c1, configMapKind, 'web', 'there', (o) => o !== undefined)
      const { message } = await reasonOf(c, 'web', 'CredentialRefused')
      expect(message).toBe(
        `credential of cluster us refused: ClusterProfile ${c.namespace}/us: no provider other in providers.json`,
      )
    },
  },
]
