/** Manifests that people really run, as modules from one Git repository, on three clusters. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/tracewrites.ts'
import { value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at, bytesToBase64, type JsonObject, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import {
  FLEET_NAMESPACE,
  furnish,
  HUB,
  type LocalFleet,
  startLocalFleet,
  untilServed,
} from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { serveLocally } from '../../packages/lockstep/src/cli/kit/localfleet/localserver.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type GitServer, serveGit } from '../git/gitserver.ts'
import { TestGitRepository } from '../git/testgitrepository.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import { canRun } from '../shareddata.ts'
import { TIER } from '../tier.ts'
import { type ObjectPath, platformCases } from './platforms.ts'

const ANY = { ...WRITE, precondition: 'any', force: true } as const
const CLUSTERS = ['c1', 'c2', 'c3']

const keyOf = ([, namespace, name]: ObjectPath): string => `${namespace}/${name}`
const lineOf = (verb: string, place: ObjectPath): string => `${verb} ${place[0]} ${keyOf(place)}`

/** What is written down of a unit on its own cluster is nothing that it delivers. */
const STAMP = /lockstep-system\/lockstep-stamp-|namespaces \/?lockstep-system$/

/** A short run has time for ours; two that people run are delivered in `platform.cases.ts`. */
const all = platformCases.filter((p) => canRun(p.title, p.folder))
const platforms = TIER === 'short' ? all.slice(-1) : all

describe.each(platforms)('$title, out of Git', (platform) => {
  const { plans, inOrder, changed, removed, edited, deleted } = platform
  const root = mkdtempSync(join(tmpdir(), 'lockstep-platform-'))
  let env: Env
  let fleet: LocalFleet
  let hub: KubeClient
  let manager: Manager
  let git: GitServer
  let repository: TestGitRepository
  let files: Record<string, string>
  let close: () => Promise<void>
  const commits: CommitRecord[] = []
  /** What every cluster has before anything is delivered, without what servers change by themselves. */
  const before = new Map<string, string[]>()

  beforeAll(async () => {
    env = loopbackEnv()
    fleet = startLocalFleet(env, {
      clusters: CLUSTERS,
      delays: { notice: [1, 10], start: [20, 80] },
      onCommit: (c) => commits.push(c),
    })
    const opened = await serveLocally(env, new Map([[HUB, fleet.hub], ...fleet.clusters]), 0)
    if (!opened.ok) throw new Error(opened.error.detail)
    const local = opened.value
    close = local.close
    furnish(fleet, local.accessOf)
    hub = createHttpClient(env, HUB, env.net.connect(local.endpointOf(HUB), 'operator'), 'test')
    await untilServed(env, hub)
    manager = startManager(
      env,
      createHttpClient(env, HUB, env.net.connect(local.endpointOf(HUB), 'operator'), 'lockstep-controller'),
    )
    git = await serveGit(root)
    repository = new TestGitRepository(root, 'platform.git')
    files = platform.files()
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
    const plan = plans[name]!
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name, namespace: FLEET_NAMESPACE, annotations: { 'lockstep.dev/reconcile': trigger } },
      spec: {
        source: {
          git: {
            url: `${git.url}/platform.git`,
            ref: { branch: 'main' },
            path: name,
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
    let looks = 0
    while (!modules().every(isReady) || modules().length < Object.keys(plans).length) {
      if (++looks > 1200)
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
      .filter((line) => !STAMP.test(line))
  let triggers = 0
  const reconcileAll = async (): Promise<void> => {
    triggers++
    for (const name of Object.keys(plans)) await write(name, String(triggers))
  }
  const inventory = (cluster: string): string[] => [...living(cluster)].sort()
  function* living(cluster: string): Iterable<string> {
    const alive = new Set<string>()
    for (const c of commits) {
      if (c.cluster !== cluster) continue
      if (c.next) alive.add(`${c.resource} ${c.key}`)
      else alive.delete(`${c.resource} ${c.key}`)
    }
    // Where stamps are kept stays.
    for (const line of alive) if (!STAMP.test(line)) yield line
  }
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    let looks = 0
    while (!holds()) {
      if (++looks > 1200)
        throw new Error(`not ${what} after ${looks} looks: ${modules().map(stateOf).join('\n')}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  it('is delivered, in order', async () => {
    for (const c of CLUSTERS) before.set(c, inventory(c))
    for (const name of Object.keys(plans).reverse()) await write(name, String(triggers))
    await untilReady(revision())
    expect(modules().map((m) => m.status?.ready)).toEqual(modules().map(() => '3/3'))
    const order = inOrder.map((o) =>
      commits.findIndex((c) => c.cluster === 'c1' && c.resource === o[0] && c.key === keyOf(o)),
    )
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
    files[changed.file] = files[changed.file]!.replace(changed.from, changed.to)
    repository.commit(files)
    await reconcileAll()
    await untilReady(revision())
    expect(writes(from).sort()).toEqual(CLUSTERS.map(() => lineOf('apply', changed.object)))
  }, 120_000)

  it('a removed file takes its objects along, and nothing else', async () => {
    const from = commits.length
    delete files[removed.file]
    repository.commit(files)
    await reconcileAll()
    await untilReady(revision())
    expect([...new Set(writes(from))]).toEqual([lineOf('delete', removed.object)])
  }, 120_000)

  it('edits by hand are repaired, deletions too', async () => {
    const from = commits.length
    const c1 = fleet.clusters.get('c1')!.local
    const [parent, field] = edited.path
    const found = () => at(c1.get(...edited.object), parent, field)
    const before = found()
    const o = c1.get(...edited.object) as unknown as JsonObject
    const mine = { ...o, [parent]: { ...(o[parent] as JsonObject), [field]: edited.to } }
    c1.update(mine as unknown as KubeObject, 'kubectl-edit')
    expect(found()).toBe(edited.to)
    c1.delete(...deleted, 'kubectl')
    await until('repaired', () => found() === before && c1.get(...deleted) !== undefined)
    await untilReady(revision())
    expect(writes(from).sort()).toEqual([lineOf('apply', edited.object), lineOf('create', deleted)])
  }, 120_000)

  it('deleting the modules leaves the clusters as they were, dependants first', async () => {
    const from = commits.length
    for (const name of Object.keys(plans))
      value(
        await hub.delete(moduleKind, { namespace: FLEET_NAMESPACE, name }, { ...WRITE, precondition: 'any' }),
      )
    await until('gone', () => modules().length === 0)
    for (const c of CLUSTERS) expect(inventory(c).filter((o) => !before.get(c)!.includes(o))).toEqual([])
    const gone = inOrder.map((o) =>
      commits.findIndex(
        (c, n) => n >= from && c.cluster === 'c1' && c.verb === 'delete' && c.key === keyOf(o),
      ),
    )
    expect(gone).toEqual([...gone].sort((a, b) => b - a))
  }, 180_000)
})
