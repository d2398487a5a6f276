/** Writes of `lockstep cluster` and `lockstep rights --cluster`, and the rights of the controller after them. */
import { describe, expect, it } from 'vitest'
import { namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { registrationOf } from '../../packages/lockstep/src/cli/kit/registration/registration.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { runCommand } from '../answers/command.ts'
import { ClusterDesk, CONTEXTS, MANIFESTS } from './clusterdesk.ts'
import { storedEnd, storedKubeconfig } from './registercluster.ts'
import { clientOf, must, NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, type Story } from './steps.ts'

const CLUSTER_ROLE = defineKind({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
})
const dataOf = (story: Story) =>
  story.live('c1', 'configmaps', 'web')?.data as Record<string, string> | undefined

const delivery = (r: ClusterDesk): KubeObject => {
  const { local } = r.story.fleet.clusters.get('c1')!.api
  return local
    .list('clusterroles.rbac.authorization.k8s.io', '')
    .find((o) => /^lockstep:[0-9a-f]{10}:delivery$/.test(o.metadata.name ?? ''))!
}

describe('lockstep cluster add', () => {
  it('gives an account what the Modules need that select the cluster: all is delivered, and nothing is refused', async () => {
    const r = await ClusterDesk.open('add-rights')
    await r.deliver()
    const added = await r.run('cluster add c1 --labels env=prod,region=eu')
    expect([added.code, added.err]).toEqual([0, ''])
    expect(added.out).toContain('The account has the rights that web needs.')
    expect(await r.story.until(() => r.story.isReady('web'))).toBe(true)
    await r.deliver([configManifest('web', '2'), deploymentManifest('web', 'web:2')])
    expect(await r.story.until(() => dataOf(r.story)?.value === '2')).toBe(true)
    expect(
      await r.story.until(() => r.story.live('c1', 'roles.rbac.authorization.k8s.io', 'web') === undefined),
    ).toBe(true)
    await r.story.deleteModule('web')
    expect(await r.story.until(() => r.story.live('c1', 'configmaps', 'web') === undefined)).toBe(true)
    expect(r.refused()).toEqual([])
    const secret = r.story.fleet.hubApi.local.get('secrets', NAMESPACE, 'c1')!
    expect(secret.metadata.labels).toMatchObject({
      env: 'prod',
      region: 'eu',
      'lockstep.dev/cluster': 'true',
    })
    expect(secret.metadata.annotations).toMatchObject({ 'lockstep.dev/renew': '604800s' })
    // Reads of one object come after a conflict, definitions are watched while a kind is missing, and Role web grants pods.
    expect(unusedRights(r)).toEqual([
      'get configmaps',
      'get pods',
      'list customresourcedefinitions',
      'watch customresourcedefinitions',
      'get deployments',
      'get roles',
    ])
    r.expectNoToken()
  }, 60_000)

  it('without Modules gives identity only; rights --cluster names the missing rights, and --apply adds it', async () => {
    const r = await ClusterDesk.open('add-later')
    const added = await r.run('cluster add c1')
    expect(added.out).toContain('No Module selects it yet, so nothing can be delivered there.')
    await r.deliver([MANIFESTS[0]!])
    expect(await r.story.until(() => r.refused().length > 0)).toBe(true)
    const missing = await r.run('rights --cluster c1')
    expect([missing.code, missing.err]).toEqual([1, ''])
    expect(missing.out).toMatch(/configmaps +read write +web +[✗x] read write/)
    expect(missing.out).toContain('The credential lacks rights on 1 of 4 resources.')
    const granted = await r.run('rights --cluster c1 --cluster-context c1 --apply')
    expect([granted.code, granted.err]).toEqual([0, ''])
    expect(await r.story.until(() => r.story.isReady('web'), 900)).toBe(true)
    expect((await r.run('rights --cluster c1')).code).toBe(0)
    r.expectNoToken()
  }, 60_000)

  it('a rule that is removed is exactly what rights --cluster names', async () => {
    const r = await ClusterDesk.open('add-rule')
    await r.deliver()
    await r.run('cluster add c1')
    expect(await r.story.until(() => r.story.isReady('web'))).toBe(true)
    const role = delivery(r)
    const rules = role.rules as { resources: string[] }[]
    for (const rule of rules) {
      const kept = { ...role, rules: rules.filter((other) => other !== rule) }
      await putRole(r, kept as KubeObject)
      const { code, out } = await r.run('rights --cluster c1')
      expect(code).toBe(1)
      const lacking = out.split('\n').filter((line) => / [✗x] /.test(line) && !line.includes('lacks'))
      const named = lacking.map((line) => line.trim().split(/[. /]/)[0]).sort()
      expect([...new Set(named)]).toEqual([...rule.resources].sort())
    }
  }, 60_000)

  it('stopped before each write and run again: the same objects', async () => {
    const whole = await ClusterDesk.open('add-whole')
    await whole.run('cluster add c1')
    const expected = whole.objects()
    expect(expected).toHaveLength(5)
    for (let n = 0; n < 7; n++) {
      const r = await ClusterDesk.open('add-whole')
      let left = n
      r.serve(() => left-- > 0)
      const stopped = await r.run('cluster add c1')
      expect([n, stopped.code]).not.toEqual([n, 0])
      if (n > 0) expect(stopped.err).toContain('run it again to continue')
      r.serve()
      expect((await r.run('cluster add c1')).code).toBe(0)
      expect(r.objects()).toEqual(expected)
    }
  }, 60_000)

  it('registrations of two namespaces on one cluster share no object', async () => {
    const r = await ClusterDesk.open('add-two')
    const { hub } = r.story.fleet
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } }
    must(await r.story.during(hub.create(namespaceKind, body, { purpose: 'user', manager: 'user' })))
    await r.run('cluster add c1')
    const first = r.objects()
    const second = await runCommand(
      r.story.fleet.env,
      ...'cluster add c1'.split(' '),
      '--kubeconfig',
      CONTEXTS,
      '-n',
      'team-b',
    )
    expect(second.code).toBe(0)
    expect(r.objects().filter((o) => first.includes(o))).toEqual(first)
    expect(r.objects()).toHaveLength(10)
    await r.run('cluster remove c1 --cluster-context c1')
    expect(r.objects().filter((o) => first.includes(o))).toEqual([])
    expect(r.objects()).toHaveLength(5)
    expect(registrationOf('uid-1', 'c1').id).not.toBe(registrationOf('uid-2', 'c1').id)
  }, 60_000)
})

async function putRole(r: ClusterDesk, role: KubeObject): Promise<void> {
  const { client } = r.story.fleet.clusters.get('c1')!
  const write = { purpose: 'user', manager: 'admin', precondition: 'any' } as const
  const rules = { rules: role.rules } as never
  must(await r.story.during(client.patch(CLUSTER_ROLE, { name: role.metadata.name ?? '' }, rules, write)))
}

/** Rights of the account that no request of the controller used: `verb resource`. */
function unusedRights(r: ClusterDesk): string[] {
  const role = delivery(r)
  const used = new Set(
    r.audit
      .filter((e) => e.agent === 'lockstep-controller' && e.code! < 400)
      // An apply that creates needs the right to create.
      .flatMap((e) =>
        (e.verb === 'patch' && e.code === 201 ? [e.verb, 'create'] : [e.verb]).map(
          (verb) => `${verb} ${e.resource}`,
        ),
      ),
  )
  return (role.rules as { resources: string[]; verbs: string[] }[])
    .flatMap(({ resources, verbs }) => resources.flatMap((x) => verbs.map((v) => `${v} ${x}`)))
    .filter((right) => !used.has(right))
}

describe('a context of another cluster', () => {
  it('is refused by each command that writes there, and nothing is written', async () => {
    const r = await ClusterDesk.open('another-context')
    await r.deliver()
    await r.run('cluster add c1')
    expect(await r.story.until(() => r.story.isReady('web'))).toBe(true)
    const from = r.story.fleet.commits.length
    for (const line of [
      'cluster add hub --name c1',
      'cluster rotate c1 --cluster-context hub',
      'cluster remove c1 --orphan --cluster-context hub',
      'rights --cluster c1 --cluster-context hub --apply',
    ]) {
      const ran = await r.run(line)
      expect([line, ran.code, ran.err]).toEqual([line, 1, expect.stringContaining('is another cluster')])
    }
    expect(r.story.fleet.commits.slice(from).filter((c) => c.actor === 'lockstep-cli')).toEqual([])
  }, 60_000)
})

describe('lockstep cluster', () => {
  it('remove is refused while Modules have units there; --orphan keeps their objects', async () => {
    const r = await ClusterDesk.open('remove')
    await r.deliver()
    await r.run('cluster add c1')
    expect(await r.story.until(() => r.story.isReady('web'))).toBe(true)
    const refused = await r.run('cluster remove c1')
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('1 unit on c1 (web)')])
    expect(refused.err).toContain('--orphan')
    const from = r.story.fleet.commits.length
    const removed = await r.run('cluster remove c1 --orphan --cluster-context c1')
    expect([removed.code, removed.err]).toEqual([0, ''])
    expect(r.objects()).toEqual([])
    await r.story.pass(120)
    expect(r.story.writes('c1', from)).toEqual([])
    expect(r.story.live('c1', 'configmaps', 'web')).toBeDefined()
    const again = await r.run('cluster remove c1 --orphan --cluster-context c1')
    expect(again.code).toBe(0)
    expect((await r.run('cluster remove c1')).code).toBe(2)
  }, 60_000)

  it('rotate replaces the token by the present one, and after its end by an administrator', async () => {
    const r = await ClusterDesk.open('rotate')
    await r.deliver([MANIFESTS[0]!])
    await r.run('cluster add c1 --token-ttl 10m')
    expect(await r.story.until(() => r.story.isReady('web'))).toBe(true)
    const first = storedEnd(r.story, 'c1')
    await r.story.pass(10)
    const rotated = await r.run('cluster rotate c1')
    expect([rotated.code, rotated.err]).toEqual([0, ''])
    expect(storedEnd(r.story, 'c1')).toBeGreaterThan(first)
    // The cluster answers no write: the controller cannot renew.
    r.serve(() => false)
    await r.story.pass(700)
    r.serve()
    const late = await r.run('cluster rotate c1')
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('--cluster-context')])
    const listed = await r.run('cluster list')
    expect(listed.out).toMatch(/NAME +STATE +UNITS READY +EXPIRES +RENEWAL/)
    expect(listed.out).toMatch(/c1 .* expired \d+s ago +automatic/)
    expect(r.story.blockers('web').join()).toContain('CredentialExpired')
    expect((await r.run('cluster rotate c1 --cluster-context c1')).code).toBe(0)
    expect(await r.story.until(() => r.story.isReady('web'), 60)).toBe(true)
    expect((await r.run('cluster list')).out).toMatch(/c1 .* in \d+m?s? +automatic/)
    r.expectNoToken()
  }, 60_000)

  it('a proxy in the kubeconfig: used and kept by renewals of a controller that allows it, and by no command', async () => {
    const r = await ClusterDesk.open('rotate-proxied')
    const { env, hub } = r.story.fleet
    r.story.manager.stop()
    await r.deliver([MANIFESTS[0]!])
    await r.run('cluster add c1 --token-ttl 10m')
    const proxied = storedKubeconfig(r.story, 'c1').replace(
      /( +)server: .*/,
      '$&\n$1proxy-url: http://proxy.test:3128',
    )
    const write = { purpose: 'user', manager: 'tenant', precondition: 'any' } as const
    const data = { kubeconfig: btoa(proxied) }
    must(await r.story.during(hub.patch(secretKind, { namespace: NAMESPACE, name: 'c1' }, { data }, write)))
    const from = r.audit.length
    const rotated = await r.run('cluster rotate c1')
    expect([rotated.code, rotated.err]).toEqual([1, expect.stringContaining('names a proxy')])
    expect(rotated.err).toContain('--cluster-context')
    expect(r.audit.length).toBe(from)
    expect((await r.run('cluster rotate c1 --cluster-context c1')).code).toBe(0)
    const first = storedEnd(r.story, 'c1')
    r.story.manager = startManager(env, clientOf(env, 'hub', 'lockstep-controller'), {
      clusterProxies: [{ host: 'proxy.test', port: undefined }],
    })
    expect(await r.story.until(() => r.story.isReady('web'))).toBe(true)
    const read = await r.run('diff web@c1')
    expect(read.out + read.err).toContain('cannot connect to c1: its kubeconfig on the hub names a proxy')
    expect((await r.run('cluster list')).out).toMatch(/c1 +Connected .* in \d+m\S* +automatic/)
    expect(await r.story.until(() => storedEnd(r.story, 'c1') > first, 600)).toBe(true)
    expect(storedKubeconfig(r.story, 'c1')).toContain('proxy-url: http://proxy.test:3128')
    r.expectNoToken()
  }, 60_000)

  it('rotate by an administrator issues no token of an account that only the Secret names', async () => {
    const r = await ClusterDesk.open('rotate-forged')
    await r.run('cluster add c1')
    const part = (o: object) => Buffer.from(JSON.stringify(o)).toString('base64url')
    const claims = {
      iss: 'https://kubernetes.default.svc',
      sub: 'system:serviceaccount:kube-system:admin',
      exp: 9_999_999_999,
      iat: 0,
    }
    const forged = `${part({ alg: 'ES256' })}.${part(claims)}.c2ln`
    const kubeconfig = storedKubeconfig(r.story, 'c1').replace(/token: \S+/, `token: ${forged}`)
    const write = { purpose: 'user', manager: 'tenant', precondition: 'any' } as const
    const key = { namespace: NAMESPACE, name: 'c1' }
    must(
      await r.story.during(
        r.story.fleet.hub.patch(secretKind, key, { data: { kubeconfig: btoa(kubeconfig) } }, write),
      ),
    )
    const ran = await r.run('cluster rotate c1 --cluster-context c1')
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('has a token of another account')])
    const granted = await r.run('rights --cluster c1 --cluster-context c1 --apply')
    expect([granted.code, granted.err]).toEqual([1, expect.stringContaining('is not of the account')])
  }, 60_000)
})
