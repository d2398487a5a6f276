/** Manifests that people really run, as modules from one Git repository, on three clusters. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stored } from '../../src/api/kind.ts'
import { secretKind } from '../../src/api/kinds/foreign.ts'
import { type Module, moduleKind } from '../../src/api/registry.ts'
import { serveClusters } from '../../src/apiserver/apiserver.ts'
import type { CommitRecord } from '../../src/apiserver/trace.ts'
import {
  FLEET_NAMESPACE,
  furnish,
  HUB,
  type LocalFleet,
  startLocalFleet,
  untilServed,
} from '../../src/cli/local/fleet.ts'
import { type Manager, startManager } from '../../src/controllers/manager.ts'
import type { Env } from '../../src/env/env.ts'
import { createNodeEnv } from '../../src/env/node/node.ts'
import { value, WRITE } from '../../src/kube/client.cases.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { createKubeClient } from '../../src/kube/http.ts'
import { bytesToBase64, type KubeObject } from '../../src/object/object.ts'
import { TestRepository } from '../git/repository.ts'
import { type GitServer, serveGit } from '../git/server.ts'
import { quiet } from '../kube/subjects.ts'

const CORPUS = fileURLToPath(new URL('../../../shared/corpus/platform', import.meta.url))
if (!existsSync(CORPUS)) process.stdout.write(`skipped: no manifests in ${CORPUS}\n`)

const ANY = { ...WRITE, fence: 'any', force: true } as const
const CLUSTERS = ['c1', 'c2', 'c3']

const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`

/** Every file below a folder, by its path in it. */
function filesOf(folder: string, prefix: string): Record<string, string> {
  const out: Record<string, string> = {}
  for (const e of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!e.isFile() || e.name === 'NOTICE') continue
    const path = join(e.parentPath, e.name)
    out[`${prefix}/${relative(folder, path)}`] = readFileSync(path, 'utf8')
  }
  return out
}

interface Plan {
  readonly path: string
  readonly needs: readonly string[]
  readonly namespace?: string
}

const PLANS: Readonly<Record<string, Plan>> = {
  calico: { path: 'calico', needs: [] },
  metallb: { path: 'metallb', needs: ['calico'] },
  'ingress-nginx': { path: 'ingress-nginx', needs: ['calico'] },
  'kube-prometheus': { path: 'kube-prometheus', needs: ['metallb', 'ingress-nginx'] },
  'cert-manager': { path: 'cert-manager', needs: [] },
  podinfo: { path: 'podinfo', needs: ['cert-manager'], namespace: 'podinfo' },
  'argo-cd': { path: 'argo-cd', needs: [], namespace: 'argocd' },
}

describe.skipIf(!existsSync(CORPUS))('a whole platform out of Git', () => {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-platform-'))
  let env: Env
  let fleet: LocalFleet
  let hub: KubeClient
  let manager: Manager
  let git: GitServer
  let repository: TestRepository
  let files: Record<string, string>
  let close: () => Promise<void>
  const commits: CommitRecord[] = []
  /** What every cluster has before anything is delivered, without what servers change by themselves. */
  const before = new Map<string, string[]>()

  beforeAll(async () => {
    env = createNodeEnv(quiet)
    fleet = startLocalFleet(env, {
      clusters: CLUSTERS,
      delays: { notice: [1, 10], start: [20, 80] },
      onCommit: (c) => commits.push(c),
    })
    const listening = await env.net.listen(
      { host: '127.0.0.1', port: 0 },
      serveClusters(new Map([[HUB, fleet.hub], ...fleet.clusters])),
    )
    if (!listening.ok) throw new Error(listening.error.detail)
    close = listening.value.close
    const urlOf = (name: string) => `${listening.value.url}/clusters/${name}`
    furnish(fleet, urlOf)
    hub = createKubeClient(env, HUB, env.net.connect({ url: urlOf(HUB) }), 'test')
    await untilServed(env, hub)
    manager = startManager(
      env,
      createKubeClient(env, HUB, env.net.connect({ url: urlOf(HUB) }), 'lockstep-controller'),
    )
    git = await serveGit(root)
    repository = new TestRepository(root, 'platform.git')
    files = Object.assign({}, ...Object.keys(PLANS).map((name) => filesOf(join(CORPUS, name), name)))
    for (const [name, plan] of Object.entries(PLANS))
      if (plan.namespace) files[`${name}/namespace.yaml`] = namespace(plan.namespace)
    repository.commit(files)
    await hub.apply(
      secretKind,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'git', namespace: FLEET_NAMESPACE },
        data: { 'ca.crt': bytesToBase64(new TextEncoder().encode(git.ca)) },
      },
      ANY,
    )
  }, 60_000)

  afterAll(async () => {
    manager.stop()
    await git.close()
    fleet.stop()
    await hub.close()
    await close()
    rmSync(root, { recursive: true, force: true })
  })

  const write = async (name: string, trigger: string): Promise<void> => {
    const plan = PLANS[name]!
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name, namespace: FLEET_NAMESPACE, annotations: { 'lockstep.dev/reconcile': trigger } },
      spec: {
        source: {
          git: {
            url: `${git.url}/platform.git`,
            ref: { branch: 'main' },
            path: plan.path,
            secretRef: { name: 'git' },
          },
        },
        ...(plan.namespace ? { render: { namespace: plan.namespace } } : {}),
        targets: { clusterSelector: {} },
        dependsOn: plan.needs.map((n) => ({ id: n, module: { kind: 'Module', name: n } })),
        rollout: { strategy: 'Replace' },
      },
    }
    value(await hub.apply(moduleKind, body as unknown as KubeObject, ANY))
  }

  const modules = (): Stored<Module>[] => [...manager.hub.modules.store.all()]
  const stateOf = (m: Stored<Module>): string =>
    `${m.metadata.name} ${m.status?.ready}: ${m.status?.conditions?.find((c) => c.type === 'Ready')?.message} ${m.status?.blockers?.map((b) => b.message).join(' | ')}`

  /** Resolves when all modules are ready; tells what each says if they are not in time. */
  async function untilReady(revision: string): Promise<void> {
    const isReady = (m: Stored<Module>): boolean =>
      m.status?.conditions?.find((c) => c.type === 'Ready')?.status === 'True' &&
      m.status.observedGeneration === m.metadata.generation &&
      m.status.sourceRevision?.endsWith(revision) === true
    const until = Date.now() + 120_000
    while (!modules().every(isReady) || modules().length < Object.keys(PLANS).length) {
      if (Date.now() > until)
        throw new Error(
          modules()
            .filter((m) => !isReady(m))
            .map(stateOf)
            .join('\n'),
        )
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  const revision = () => repository.git(['rev-parse', 'main'])
  /** Commits of the executor on clusters since `from`: `verb resource key`. */
  const writes = (from: number, cluster?: string): string[] =>
    commits
      .slice(from)
      .filter((c) => c.cluster !== HUB && (cluster === undefined || c.cluster === cluster))
      .filter((c) => c.actor === 'lockstep' || c.actor.startsWith('lockstep-controller'))
      .map((c) => `${c.verb} ${c.resource} ${c.key}`)
  let triggers = 0
  const reconcileAll = async (): Promise<void> => {
    triggers++
    for (const name of Object.keys(PLANS)) await write(name, String(triggers))
  }
  const inventory = (cluster: string): string[] => [...living(cluster)].sort()
  function* living(cluster: string): Iterable<string> {
    const alive = new Set<string>()
    for (const c of commits) {
      if (c.cluster !== cluster) continue
      if (c.next) alive.add(`${c.resource} ${c.key}`)
      else alive.delete(`${c.resource} ${c.key}`)
    }
    yield* alive
  }
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    const deadline = Date.now() + 60_000
    while (!holds()) {
      if (Date.now() > deadline)
        throw new Error(`not ${what} after 60 s: ${modules().map(stateOf).join('\n')}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  it('is delivered, in order', async () => {
    for (const c of CLUSTERS) before.set(c, inventory(c))
    for (const name of Object.keys(PLANS).reverse()) await write(name, String(triggers))
    await untilReady(revision())
    expect(modules().map((m) => m.status?.ready)).toEqual(modules().map(() => '3/3'))
    const first = (resource: string, key: string): number =>
      commits.findIndex((c) => c.cluster === 'c1' && c.resource === resource && c.key === key)
    const order = [
      first('daemonsets.apps', 'kube-system/calico-node'),
      first('deployments.apps', 'metallb-system/controller'),
      first('deployments.apps', 'monitoring/prometheus-operator'),
    ]
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order[0]).toBeGreaterThan(0)
  }, 180_000)

  it('a second look at everything writes nothing', async () => {
    const from = commits.length
    const asked = git.requests.length
    await reconcileAll()
    await until('asked again', () => git.requests.length > asked)
    await untilReady(revision())
    expect(writes(from)).toEqual([])
  }, 120_000)

  it('a changed file changes its object, and nothing else', async () => {
    const from = commits.length
    const path = 'podinfo/kustomize/service.yaml'
    files[path] = files[path]!.replace('port: 9898', 'port: 9899')
    repository.commit(files)
    await reconcileAll()
    await untilReady(revision())
    expect(writes(from).sort()).toEqual(CLUSTERS.map(() => 'apply services podinfo/podinfo'))
  }, 120_000)

  it('a removed file takes its objects along, and nothing else', async () => {
    const from = commits.length
    delete files['podinfo/kustomize/hpa.yaml']
    repository.commit(files)
    await reconcileAll()
    await untilReady(revision())
    expect([...new Set(writes(from))]).toEqual([
      'delete horizontalpodautoscalers.autoscaling podinfo/podinfo',
    ])
  }, 120_000)

  it('edits by hand are repaired, deletions too', async () => {
    const from = commits.length
    const c1 = fleet.clusters.get('c1')!.local
    const service = c1.get('services', 'podinfo', 'podinfo')!
    c1.update(
      { ...service, spec: { ...(service as { spec?: object }).spec, type: 'NodePort' } } as KubeObject,
      'kubectl-edit',
    )
    c1.delete('configmaps', 'argocd', 'argocd-cm', 'kubectl')
    const type = () => (c1.get('services', 'podinfo', 'podinfo') as { spec?: { type?: string } })?.spec?.type
    await until(
      'repaired',
      () => type() === 'ClusterIP' && c1.get('configmaps', 'argocd', 'argocd-cm') !== undefined,
    )
    await untilReady(revision())
    expect(writes(from).sort()).toEqual([
      'apply services podinfo/podinfo',
      'create configmaps argocd/argocd-cm',
    ])
  }, 120_000)

  it('deleting the modules leaves the clusters as they were, dependants first', async () => {
    const from = commits.length
    for (const name of Object.keys(PLANS))
      value(await hub.delete(moduleKind, { namespace: FLEET_NAMESPACE, name }, { ...WRITE, fence: 'any' }))
    await until('gone', () => modules().length === 0)
    for (const c of CLUSTERS) expect(inventory(c).filter((o) => !before.get(c)!.includes(o))).toEqual([])
    const gone = (key: string): number =>
      commits.findIndex((c, i) => i >= from && c.cluster === 'c1' && c.verb === 'delete' && c.key === key)
    expect(gone('monitoring/prometheus-operator')).toBeLessThan(gone('metallb-system/controller'))
    expect(gone('metallb-system/controller')).toBeLessThan(gone('kube-system/calico-node'))
  }, 180_000)
})
