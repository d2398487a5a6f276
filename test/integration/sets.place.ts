/**
 * Where ClusterResourceSets are tried on any servers: a hub with Cluster API's definitions and nobody of Cluster API who would act by
 * them, one Cluster, and Lockstep, whose requests are heard.
 */

import { ANY, established, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { Connection, Net } from '../../packages/kube/src/env/net.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { type ConfigMap, configMapKind, crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import {
  at,
  bytesToBase64,
  encodeJson,
  isArray,
  type KubeObject,
} from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import {
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  resourceSetBindingKinds,
  resourceSetKinds,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { SET, SET_SECRET_TYPE } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { clusterApiKinds } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import type { Corner, FleetSubject } from './fleetsubject.ts'
import { kubeconfigSecret } from './inventorykinds.ts'
import { runFleetCases } from './runfleetcases.ts'

export type SetsVersion = 'v1beta2' | 'v1beta1'

export interface SetCase {
  readonly name: string
  /** By which definitions; the newer ones unless said otherwise. */
  readonly versions?: readonly SetsVersion[]
  run(p: SetsPlace): Promise<void>
}

/** A request of Lockstep's that would change something, and what came of it. */
export interface Heard {
  readonly url: string
  readonly method: string
  readonly path: string
  readonly body: string
  status: number
}

/** All cases for that version, on a hub with these definitions. */
export function runSetCases(
  title: string,
  make: () => Promise<FleetSubject>,
  cases: readonly SetCase[],
  { version, definitions }: { version: SetsVersion; definitions: readonly KubeObject[] },
): void {
  const heard: Heard[] = []
  const withDefinitions = async (): Promise<FleetSubject> => {
    const subject = await make()
    const { client } = subject.hub
    for (const d of definitions) value(await client.apply(crdKind, d as never, { ...ANY, force: true }))
    for (const d of definitions) await established(client, d.metadata.name!)
    return { ...subject, env: { ...subject.env, net: listening(subject.env.net, heard) } }
  }
  runFleetCases(
    title,
    withDefinitions,
    cases
      .filter((c) => (c.versions ?? ['v1beta2']).includes(version))
      .map((c) => ({ name: c.name, run: (corner) => inPlace(corner, version, heard, c) })),
  )
}

/** Controllers reach clusters by what it connects. */
function listening(net: Net, heard: Heard[]): Net {
  const connect: Net['connect'] = (target, by): Connection => {
    const inner = net.connect(target, by)
    return {
      async request(r) {
        if (r.method === 'GET') return inner.request(r)
        const { method, path, body = '' } = r
        const entry: Heard = { url: target.url, method, path, body, status: 0 }
        heard.push(entry)
        const answer = await inner.request(r)
        if (answer.ok) entry.status = answer.value.status
        return answer
      },
      close: () => inner.close(),
    }
  }
  return {
    connect,
    resolve: (host, port, by) => net.resolve(host, port, by),
    listen: (o, handler) => net.listen(o, handler),
    egress: net.egress,
  }
}

async function inPlace(
  c: Corner,
  version: SetsVersion,
  heard: readonly Heard[],
  set: SetCase,
): Promise<void> {
  // A Cluster of Cluster API in the place of the Secret that a corner begins with.
  value(await c.hub.delete(secretKind, { namespace: c.namespace, name: 'c1' }, ANY))
  const { kubeconfig } = c.subject.c1
  value(await c.hub.create(secretKind, kubeconfigSecret('c1', c.namespace, kubeconfig), WRITE))
  const kind = clusterApiKinds.find((k) => k.version === version)!
  const key = { namespace: c.namespace, name: 'c1' }
  const cluster = {
    apiVersion: `${kind.group}/${version}`,
    kind: 'Cluster',
    metadata: { ...key, labels: { fleet: 'all' } },
    // Names an endpoint only because newer definitions want a spec that says something.
    spec: { controlPlaneEndpoint: { host: 'c1.test', port: 443 } },
  }
  value(await c.hub.create(kind, cluster, WRITE))
  const status =
    version === 'v1beta1'
      ? { infrastructureReady: true, controlPlaneReady: true }
      : { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } }
  value(await c.hub.patch(kind, key, { status }, { ...ANY, subresource: 'status' }))
  await set.run(new SetsPlace(c, version, heard))
}

/** The set of all cases. */
const CRS = 'crs1'

export class SetsPlace {
  readonly c: Corner
  readonly namespace: string
  readonly version: SetsVersion
  readonly setKind: Kind<ClusterResourceSet>
  readonly bindingKind: Kind<ClusterResourceSetBinding>
  private readonly heard: readonly Heard[]

  constructor(c: Corner, version: SetsVersion, heard: readonly Heard[]) {
    this.c = c
    this.namespace = c.namespace
    this.version = version
    this.heard = heard
    this.setKind = resourceSetKinds.find((k) => k.version === version)!
    this.bindingKind = resourceSetBindingKinds.find((k) => k.version === version)!
  }

  /** `a.yaml` has the objects; `secret-…` is a Secret. */
  source(name: string, objects: readonly object[], type = SET_SECRET_TYPE): Promise<Stored> {
    return this.sourceOf(name, { 'a.yaml': yaml(...objects) }, type)
  }

  async sourceOf(
    name: string,
    data: Readonly<Record<string, string>>,
    type = SET_SECRET_TYPE,
  ): Promise<Stored> {
    const metadata = { name, namespace: this.namespace }
    const write = { ...ANY, force: true }
    if (!name.startsWith('secret-'))
      return value(
        await this.c.hub.apply(configMapKind, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, write),
      )
    const encoded = Object.entries(data).map(([k, v]) => [k, bytesToBase64(new TextEncoder().encode(v))])
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, type, data: Object.fromEntries(encoded) }
    return value(await this.c.hub.apply(secretKind, body as KubeObject, write))
  }

  async removeSource(name: string): Promise<void> {
    const kind = name.startsWith('secret-') ? secretKind : configMapKind
    value(await this.c.hub.delete(kind, this.key(name), ANY))
  }

  seeSource(name: string): Promise<Stored> {
    return this.see(this.c.hub, name.startsWith('secret-') ? secretKind : configMapKind, name)
  }

  /** A set of these sources that is Lockstep's. */
  async set(
    sources: readonly string[],
    strategy: string,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Stored<ClusterResourceSet>> {
    const { group, version, kind } = this.setKind
    const body = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { ...this.key(CRS), annotations: { [SET.managed]: 'true', ...annotations } },
      spec: {
        clusterSelector: { matchLabels: { fleet: 'all' } },
        resources: references(sources),
        strategy,
      },
    }
    return value(await this.c.hub.create(this.setKind, body, WRITE))
  }

  continuous(
    sources: readonly string[],
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Stored<ClusterResourceSet>> {
    return this.set(sources, 'ApplyOnce', { [SET.mode]: 'Continuous', ...annotations })
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    value(await this.c.hub.patch(this.setKind, this.key(CRS), { metadata: { annotations } }, ANY))
  }

  async refer(sources: readonly string[]): Promise<void> {
    const patch = { spec: { resources: references(sources) } }
    value(await this.c.hub.patch(this.setKind, this.key(CRS), patch, ANY))
  }

  async removeSet(): Promise<void> {
    value(await this.c.hub.delete(this.setKind, this.key(CRS), ANY))
    await this.c.untilGone(this.c.hub, this.setKind, CRS)
  }

  untilSet(
    what: string,
    holds: (s: Stored<ClusterResourceSet>) => boolean,
  ): Promise<Stored<ClusterResourceSet>> {
    return this.c.until(this.c.hub, this.setKind, CRS, what, (o) => o !== undefined && holds(o))
  }

  /** Of the newer conditions, `False/NotApplied: …` begins with this. */
  untilSays(type: string, text: string): Promise<Stored<ClusterResourceSet>> {
    return this.untilSet(`${type} ${text}`, (s) => this.said(s, type).startsWith(text))
  }

  untilApplied(): Promise<Stored<ClusterResourceSet>> {
    return this.untilSays('ResourcesApplied', 'True/Applied: applied on 1 of 1 clusters')
  }

  untilInSync(): Promise<Stored<ClusterResourceSet>> {
    return this.untilSays('lockstep.dev/Converged', 'True/InSync: in sync on 1 of 1 clusters')
  }

  said(s: Stored<ClusterResourceSet>, type: string): string {
    const all = this.version === 'v1beta1' ? s.status?.v1beta2?.conditions : s.status?.conditions
    const found = all?.find((c) => c.type === type)
    return found ? `${found.status}/${found.reason}: ${found.message}` : ''
  }

  /** Of the older ones. */
  saidBefore(s: Stored<ClusterResourceSet>, type: string): string {
    const found = at(
      s,
      'status',
      ...(this.version === 'v1beta1' ? [] : ['deprecated', 'v1beta1']),
      'conditions',
    )
    const one = isArray(found) ? found.find((c) => at(c, 'type') === type) : undefined
    return one
      ? `${at(one, 'status')}/${at(one, 'reason')} ${at(one, 'severity')}: ${at(one, 'message')}`
      : ''
  }

  /** Once the binding has an entry for each source, and each says that it is applied. */
  async untilEntry(sources: readonly string[]): Promise<Stored<ClusterResourceSetBinding>> {
    const isSo = (b: Stored<ClusterResourceSetBinding> | undefined) => {
      const resources = b?.spec.bindings?.[0]?.resources ?? []
      return resources.length === sources.length && resources.every((r) => r.applied)
    }
    return this.c.until(this.c.hub, this.bindingKind, 'c1', 'applied', isSo)
  }

  see<T extends KubeObject>(client: Corner['hub'], kind: Kind<T>, name: string): Promise<Stored<T>> {
    return client.get(kind, this.key(name), READ).then(value)
  }

  on<T extends KubeObject>(kind: Kind<T>, name: string): Promise<Stored<T>> {
    return this.see(this.c.c1, kind, name)
  }

  untilOn<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    what: string,
    holds: (o: Stored<T> | undefined) => boolean,
  ): Promise<Stored<T>> {
    return this.c.until(this.c.c1, kind, name, what, holds)
  }

  /** Once the ConfigMap on the cluster says so. */
  untilValue(name: string, v: string): Promise<Stored<ConfigMap>> {
    return this.untilOn(configMapKind, name, `v: ${v}`, (o) => o?.data?.v === v)
  }

  async edit(kind: Kind, name: string, patch: object, manager = 'somebody'): Promise<void> {
    value(await this.c.c1.patch(kind, this.key(name), patch as never, { ...ANY, manager }))
  }

  /** Requests to the cluster that would change something of this case: `POST configmaps/x 201`, and so on. */
  writes(of: (h: Heard) => boolean = () => true): string[] {
    return this.heard
      .filter((h) => this.isOnCluster(h) && (h.path + h.body).includes(this.namespace) && of(h))
      .map(({ method, path, body, status }) => {
        const [, plural, name] = /\/([a-z]+)(?:\/([^/?]+))?(?:\?.*)?$/.exec(afterNamespace(path)) ?? []
        const created = name ?? at(JSON.parse(body) as KubeObject, 'metadata', 'name')
        return `${method} ${plural}/${created} ${status}`
      })
  }

  /** The same, once all have been answered: what a write has done may be seen before its answer is. */
  async written(of?: (h: Heard) => boolean): Promise<string[]> {
    const isOpen = (w: string): boolean => w.endsWith(' 0')
    for (let i = 0; i < 100 && this.writes().some(isOpen); i++) await sleep(this.c.subject.env.clock, 100)
    return this.writes(of)
  }

  private isOnCluster({ url, path }: Heard): boolean {
    const isCluster = this.c.subject.c1.kubeconfig.includes(`"${url}"`)
    return isCluster && !path.includes('/namespaces/lockstep-system/')
  }

  key(name: string) {
    return { namespace: this.namespace, name }
  }
}

/** Of an object in a namespace what is behind that. */
const afterNamespace = (path: string): string => path.replace(/\/namespaces\/[^/?]+(?=\/)/, '')

const references = (sources: readonly string[]) =>
  sources.map((name) => ({
    kind: name.startsWith('secret-') ? ('Secret' as const) : ('ConfigMap' as const),
    name,
  }))

export const yaml = (...objects: readonly object[]): string =>
  objects.map((o) => `---\n${encodeJson(o as never)}\n`).join('')
