/** Clusters as `lockstep cluster` registers them: over real HTTP, with the rights that it gives. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, secretKind, serviceAccountKind } from '../../packages/kube/src/kinds/types.ts'
import { base64ToBytes, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { remoteAssemblageKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'
import { eventually } from '../e2e/lockstep.ts'
import { sit } from '../e2e/person.ts'
import { config, deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const roleKind = defineKind<KubeObject>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
})

/** An administrator of hub and cluster, at the same desk. */
class Administrator {
  private readonly c: Corner
  private readonly folder = mkdtempSync(join(tmpdir(), 'lockstep-clusters-'))
  private readonly said: string[] = []

  constructor(c: Corner) {
    this.c = c
    const [hub, site] = [c.subject.hub.kubeconfig, c.subject.c1.kubeconfig].map((text) => JSON.parse(text))
    const renamed = (whole: typeof hub, name: string) => ({
      clusters: [{ ...whole.clusters[0], name }],
      users: [{ ...whole.users[0], name }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    })
    const [a, b] = [renamed(hub, 'hub'), renamed(site, 'site')]
    const both = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'hub',
      clusters: [...a.clusters, ...b.clusters],
      users: [...a.users, ...b.users],
      contexts: [...a.contexts, ...b.contexts],
    }
    writeFileSync(join(this.folder, 'kubeconfig'), JSON.stringify(both), { mode: 0o600 })
  }

  async run(line: string) {
    const words = `${line} -n ${this.c.namespace} --kubeconfig kubeconfig`.split(' ')
    const ran = await sit(words, { cwd: this.folder })
    this.said.push(ran.out, ran.err)
    return ran
  }

  /** Fails unless it succeeds. */
  async does(line: string): Promise<string> {
    const { code, out, err } = await this.run(line)
    expect([line, code, code === 0 ? '' : err]).toEqual([line, 0, ''])
    return out
  }

  async token(): Promise<string> {
    const secret = value(
      await this.c.hub.get(secretKind, { namespace: this.c.namespace, name: 'site' }, READ),
    )
    const text = new TextDecoder().decode(base64ToBytes(secret.data!.kubeconfig!))
    return /token: (\S+)/.exec(text)![1]!
  }

  expectNever(token: string): void {
    expect(this.said.join('')).not.toContain(token.slice(-30))
  }

  leave(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function asAdministrator(c: Corner, story: (a: Administrator) => Promise<void>): Promise<void> {
  // A cluster under two names counts once.
  value(await c.hub.delete(secretKind, { namespace: c.namespace, name: 'c1' }, ANY))
  const administrator = new Administrator(c)
  try {
    await story(administrator)
  } finally {
    await administrator.run('cluster remove site --orphan --cluster-context site')
    administrator.leave()
  }
}

const TARGET = { targets: { clusters: ['site'] } }

export const clusterCases: readonly FleetCase[] = [
  {
    name: 'clusters: an added cluster gets three kinds by its own account, and its removal deletes no object of a Module',
    run: (c) =>
      asAdministrator(c, async (a) => {
        const account = `${c.namespace}-sa`
        const objects = [
          config('app', c.namespace, { v: '1' }),
          deployment('app', c.namespace, 'app:v1'),
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace: c.namespace } },
        ]
        await c.release('app', 1, objects, TARGET)
        const added = await a.does('cluster add site --labels env=prod')
        expect(added).toContain('The account has the rights that app needs.')
        await c.untilReady('app')
        await c.release('app', 2, [config('app', c.namespace, { v: '2' })], TARGET)
        await c.untilReady('app')
        await c.untilGone(c.c1, serviceAccountKind, account)
        expect(await a.does('rights --cluster site')).toContain('The credential holds all rights.')
        expect(await a.does('cluster list')).toMatch(/site +Connected .* in [67]d\S* +automatic/)
        const used = await a.run('cluster remove site')
        expect([used.code, used.err]).toEqual([1, expect.stringContaining('1 unit on site (app)')])
        const token = await a.token()
        await a.does('cluster remove site --orphan --cluster-context site')
        expect(
          value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)).data,
        ).toEqual({
          v: '2',
        })
        a.expectNever(token)
      }),
  },
  {
    name: 'clusters: a rule that is removed is exactly what rights --cluster names, and what --apply adds again',
    run: (c) =>
      asAdministrator(c, async (a) => {
        await c.release(
          'app',
          1,
          [config('app', c.namespace, {}), deployment('app', c.namespace, 'app:v1')],
          TARGET,
        )
        await a.does('cluster add site')
        await c.untilReady('app')
        const applied = await a.does('cluster add site --dry-run -o json')
        const role = JSON.parse(applied).items.find((o: KubeObject) => o.kind === 'ClusterRole')
        const rules: { resources: string[] }[] = role.rules.filter(
          (r: { resources: string[] }) => !r.resources.includes('deployments'),
        )
        const key = { name: role.metadata.name }
        value(await c.c1.patch(roleKind, key, { rules } as never, ANY))
        // An API server decides by roles that it has seen a moment ago.
        const isLacking = async () => (await a.run('rights --cluster site')).code === 1
        await eventually(isLacking, 'the right is missing')
        const { code, out } = await a.run('rights --cluster site')
        const lacking = out.split('\n').filter((line) => / [✗x] /.test(line) && !line.includes('lacks'))
        expect([code, lacking.map((line) => line.trim().split(' ')[0])]).toEqual([1, ['deployments.apps']])
        await a.does('rights --cluster site --cluster-context site --apply')
        const isWhole = async () => (await a.run('rights --cluster site')).code === 0
        await eventually(isWhole, 'the right was granted again')
      }),
  },
  {
    name: 'clusters: rotate replaces the token, and deliveries continue with the new one',
    run: (c) =>
      asAdministrator(c, async (a) => {
        await c.release('app', 1, [config('app', c.namespace, { v: '1' })], TARGET)
        await a.does('cluster add site --token-ttl 10m')
        await c.untilReady('app')
        const first = await a.token()
        await a.does('cluster rotate site')
        const second = await a.token()
        await a.does('cluster rotate site --cluster-context site')
        const third = await a.token()
        expect(new Set([first, second, third]).size).toBe(3)
        await c.release('app', 2, [config('app', c.namespace, { v: '2' })], TARGET)
        await c.untilReady('app')
        for (const token of [first, second, third]) a.expectNever(token)
        const { status } = value(
          await c.hub.get(remoteAssemblageKind, { namespace: c.namespace, name: 'site' }, READ),
        )
        expect(JSON.stringify(status)).not.toContain(third.slice(-30))
      }),
  },
  {
    name: 'clusters: without its account the token ends; add again gives another one',
    patienceSeconds: 240,
    run: (c) =>
      asAdministrator(c, async (a) => {
        await c.release('app', 1, [config('app', c.namespace, { v: '1' })], TARGET)
        await a.does('cluster add site')
        await c.untilReady('app')
        const accounts = value(
          await c.c1.list(serviceAccountKind, { ...READ, namespace: SYSTEM_NAMESPACE }),
        ).items
        const subject = JSON.parse(
          new TextDecoder().decode(base64ToBytes(padded((await a.token()).split('.')[1]!))),
        ).sub as string
        const [name] = subject.split(':').slice(-1)
        expect(accounts.map((o) => o.metadata.name)).toContain(name)
        value(await c.c1.delete(serviceAccountKind, { namespace: SYSTEM_NAMESPACE, name: name! }, ANY))
        const failed = await a.run('cluster rotate site')
        expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('--cluster-context')])
        await a.does('cluster add site')
        await c.release('app', 2, [config('app', c.namespace, { v: '2' })], TARGET)
        await c.untilReady('app')
      }),
  },
]

const padded = (base64url: string): string => base64url.replaceAll('-', '+').replaceAll('_', '/')
