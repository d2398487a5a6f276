import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import type { Listening } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { encodeJson, type JsonObject, parseJson } from '../../packages/kube/src/object/index.ts'
import { yamlCases } from '../../packages/kube/src/object/yaml/yaml.cases.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet }

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('kubectl is not on the PATH: its tests are left out')
    return false
  }
}

let folder = ''
let listening: Listening | undefined

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

function kubectl(args: string, input?: string): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOME: folder, KUBECONFIG: join(folder, 'config') }
    const child = execFile('kubectl', args.split(' '), { env, timeout: 30_000 }, (e, out, err) =>
      resolve({ code: e ? Number(e.code ?? 1) : 0, out, err }),
    )
    child.stdin?.end(input)
  })
}

async function start(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-kubectl-'))
  const env = createNodeEnv(quiet)
  const started = await env.net.listen(
    { host: '127.0.0.1', port: 0 },
    createApiServer(env, { name: 'e2e' }).handle,
  )
  if (!started.ok) throw new Error(started.error.detail)
  listening = started.value
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'e2e', cluster: { server: listening.url } }],
    users: [{ name: 'me', user: {} }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'me' } }],
    'current-context': 'e2e',
  }
  writeFileSync(join(folder, 'config'), JSON.stringify(config))
}

const deployment = (replicas: number): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'd' } },
      template: {
        metadata: { labels: { app: 'd' } },
        spec: { containers: [{ name: 'c', image: 'registry.example/c:1' }] },
      },
    },
  })

const isMissing = !hasKubectl()

beforeAll(async () => {
  if (!isMissing) await start()
})
afterAll(async () => {
  await listening?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(isMissing)('kubectl apply', { timeout: 60_000 }, () => {
  it('applies server-side, meets a conflict and takes the field by force', async () => {
    const first = await kubectl('apply --server-side -f -', deployment(1))
    expect(first).toEqual({ code: 0, out: 'deployment.apps/d serverside-applied\n', err: '' })
    const other = await kubectl('apply --server-side --field-manager=other -f -', deployment(2))
    expect(other.code).toBe(1)
    expect(other.err).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas')
    const forced = await kubectl(
      'apply --server-side --field-manager=other --force-conflicts -f -',
      deployment(2),
    )
    expect(forced.out).toBe('deployment.apps/d serverside-applied\n')
    expect((await kubectl('get deployment d -o jsonpath={.spec.replicas}')).out).toBe('2')
  })

  it('names unknown fields before it sends them', async () => {
    const bad = await kubectl(
      'apply --server-side -f -',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"dta":{}}',
    )
    expect(bad.code).toBe(1)
    expect(bad.err).toContain('dta')
  })
})

describe.skipIf(isMissing)('kubectl get, delete and wait', { timeout: 60_000 }, () => {
  it('prints tables, and deletes', async () => {
    await kubectl(
      'create -f -',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}}',
    )
    const table = await kubectl('get cm a')
    expect(table.out).toMatch(/^NAME +DATA +AGE\na +1 +\d+s\n$/)
    expect((await kubectl('delete cm a')).out).toMatch(/^configmap "a" deleted( from default namespace)?\n$/)
    const gone = await kubectl('get cm a')
    expect(gone).toMatchObject({ code: 1, err: 'Error from server (NotFound): configmaps "a" not found\n' })
  })

  it('returns from deleting a namespace once it is gone', async () => {
    await kubectl('create -f -', '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"q"}}')
    await kubectl('create -n q -f -', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}')
    expect(await kubectl('delete ns q')).toMatchObject({ code: 0, out: 'namespace "q" deleted\n' })
    expect((await kubectl('get ns q')).err).toBe('Error from server (NotFound): namespaces "q" not found\n')
    expect((await kubectl('get cm -A -o name')).out).toBe('')
  })

  it('waits for what a watch brings', async () => {
    await kubectl(
      'create -f -',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w"},"data":{"ready":"no"}}',
    )
    const waiting = kubectl('wait --for=jsonpath={.data.ready}=yes cm/w --timeout=20s')
    await kubectl('patch cm w --type=merge -p {"data":{"ready":"yes"}}')
    expect((await waiting).out).toBe('configmap/w condition met\n')
  })
})

describe.skipIf(isMissing)('other commands of kubectl', { timeout: 60_000 }, () => {
  it('applies client-side, labels, scales and patches', async () => {
    const cm = (x: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { x } })
    expect((await kubectl('apply -f -', cm('1'))).out).toBe('configmap/c created\n')
    expect((await kubectl('apply -f -', cm('1'))).out).toBe('configmap/c unchanged\n')
    expect((await kubectl('apply -f - --dry-run=server', cm('2'))).out).toBe(
      'configmap/c configured (server dry run)\n',
    )
    expect((await kubectl('diff -f -', cm('1'))).code).toBe(0)
    expect((await kubectl('apply -f -', cm('2'))).out).toBe('configmap/c configured\n')
    expect((await kubectl('label cm c k=v')).out).toBe('configmap/c labeled\n')
    expect((await kubectl('get cm -l k=v -o name')).out).toBe('configmap/c\n')
    await kubectl('create -f -', deployment(1).replace('"name":"d"', '"name":"s"'))
    expect((await kubectl('scale deploy s --replicas=5')).out).toBe('deployment.apps/s scaled\n')
    const patched = await kubectl('patch deploy s -p {"spec":{"paused":true}}')
    expect(patched.out).toBe('deployment.apps/s patched\n')
    expect((await kubectl('get deploy s -o jsonpath={.spec.replicas},{.spec.paused}')).out).toBe('5,true')
  })

  it('explains kinds and lists resources', async () => {
    const explained = await kubectl('explain cm.data')
    expect(explained.out).toContain('FIELD: data <map[string]string>')
    const resources = await kubectl('api-resources -o name')
    expect(resources.out.split('\n')).toContain('deployments.apps')
  })

  describe('reads YAML as we do', () => {
    const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n'
    const read = (yaml: string) =>
      kubectl('create --dry-run=client --validate=false -o json -f -', `${HEAD}${yaml}\n`)

    it.each(yamlCases)('%j', async (yaml, json) => {
      const ran = await read(yaml)
      const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = parseJson(ran.out) as JsonObject
      expect(encodeJson(rest)).toEqual(encodeJson(parseJson(json)))
    })
  })
})

describe.skipIf(isMissing)('kubectl auth', { timeout: 60_000 }, () => {
  it('says what one may do, and as whom', async () => {
    expect(await kubectl('auth can-i create pods')).toMatchObject({ code: 0, out: 'yes\n' })
    expect(await kubectl('auth can-i create pods --as=u')).toMatchObject({ code: 1, out: 'no\n' })
    const who = await kubectl('auth whoami')
    expect(who.out).toMatch(
      /^ATTRIBUTE +VALUE\nUsername +admin\nGroups +\[system:masters system:authenticated\]\n$/,
    )
    const other = await kubectl('auth whoami --as=u --as-group=g --as-uid=7')
    expect(other.out).toMatch(/Username +u\nUID +7\nGroups +\[g system:authenticated\]\n$/)
    const listed = await kubectl('auth can-i --list --as=u')
    expect(listed.out).toMatch(/selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]/)
  })

  it('refuses whom it is told to act as, until a role allows it', async () => {
    expect(await kubectl('get secrets --as=u')).toMatchObject({
      code: 1,
      err: 'Error from server (Forbidden): secrets is forbidden: User "u" cannot list resource "secrets" in API group "" in the namespace "default"\n',
    })
    expect(await kubectl('create role reader --verb=get,list --resource=secrets')).toMatchObject({ code: 0 })
    expect(await kubectl('create rolebinding reader --role=reader --user=u')).toMatchObject({ code: 0 })
    expect(await kubectl('get secrets --as=u -o name')).toMatchObject({ code: 0, out: '' })
    expect(await kubectl('auth can-i list secrets --as=u')).toMatchObject({ code: 0, out: 'yes\n' })
    expect((await kubectl('get secrets -A --as=u')).err).toContain('at the cluster scope')
    expect(await kubectl('auth can-i approve modules.lockstep.dev --as=u')).toMatchObject({ code: 1 })
    expect(
      await kubectl('create clusterrolebinding admins --clusterrole=cluster-admin --group=g'),
    ).toMatchObject({ code: 0 })
    expect(await kubectl('auth can-i approve modules.lockstep.dev --as=u --as-group=g')).toMatchObject({
      code: 0,
    })
  })
})

describe.skipIf(isMissing)('kubectl and policies', { timeout: 60_000 }, () => {
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'short' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
        ],
      },
      validations: [
        {
          expression: 'size(object.metadata.name) < 5',
          messageExpression: 'object.metadata.name + " is too long for " + request.userInfo.username',
        },
      ],
    },
  }
  const binding = (action: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'short' },
    spec: { policyName: 'short', validationActions: [action] },
  })

  it('refuses, warns, and lets go', async () => {
    await kubectl('create -f -', JSON.stringify(policy))
    await kubectl('create -f -', JSON.stringify(binding('Deny')))
    const said = "ValidatingAdmissionPolicy 'short' with binding 'short'"
    const refused = await kubectl('create cm lengthy')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${said} denied request: lengthy is too long for admin`)
    await kubectl('replace -f -', JSON.stringify(binding('Warn')))
    expect(await kubectl('create cm lengthy')).toEqual({
      code: 0,
      out: 'configmap/lengthy created\n',
      err: `Warning: Validation failed for ${said}: lengthy is too long for admin\n`,
    })
    await kubectl('delete validatingadmissionpolicybinding short')
    expect((await kubectl('create cm elongated')).err).toBe('')
  })

  it('makes tokens', async () => {
    await kubectl('create sa bot')
    const made = await kubectl('create token bot --duration=20m')
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out.split('.')).toHaveLength(3)
    expect(await kubectl('create token nobody')).toMatchObject({ code: 1 })
  })
})
