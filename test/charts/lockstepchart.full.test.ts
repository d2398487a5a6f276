/** The Helm chart of Lockstep: equal to `lockstep install`, and strict about its values. */
import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { at, type JsonValue, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { parseProviders } from '../../packages/lockstep/src/fleet/credentials/index.ts'
import { commandLineProblem } from '../docs/commandlineproblem.ts'
import { CHART, hasHelm, installed, lint, REPOSITORY, rendered, template } from './lockstepchart.ts'

const image = { repository: REPOSITORY }
const MINIMAL = { namespaces: ['a'], image }
const PROVIDER = {
  name: 'eks',
  execConfig: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws-eks-token' },
  servers: ['*.eks.amazonaws.com'],
  namespaces: ['a'],
}
const KEEP = 'helm.sh/resource-policy'
const { version } = JSON.parse(readFileSync('packages/lockstep/package.json', 'utf8')) as { version: string }

const VALUES: Readonly<Record<string, object>> = {
  minimal: MINIMAL,
  'two namespaces, all profiles': {
    namespaces: ['a', 'b'],
    with: ['capi', 'clusterprofiles', 'argocd', 'flux', 'pipelines', 'resource-sets', 'weave'],
    image,
  },
  'resource sets without Cluster API': { ...MINIMAL, with: ['resource-sets'] },
  'one replica': { ...MINIMAL, replicas: 1, resources: { limits: { memory: '2Gi' } } },
  'a digest and secrets': {
    ...MINIMAL,
    image: { repository: REPOSITORY, digest: `sha256:${'0'.repeat(64)}`, pullSecrets: ['registry'] },
  },
  'a proxy and authorities': {
    ...MINIMAL,
    proxy: {
      http: 'http://proxy:3128',
      https: 'http://proxy:3128',
      noProxy: '.svc,10.0.0.0/8',
      allowClusterProxies: ['proxy.example.com:3128', '[fd00::8]'],
    },
    extraCAs: { configMap: 'company-ca' },
    networkPolicy: { egress: [{ ports: [{ port: 3128, protocol: 'TCP' }] }] },
  },
  'hooks, providers, monitoring': {
    ...MINIMAL,
    receivers: { ingress: { host: 'hooks.example.com', className: 'nginx', tlsSecret: 'hooks' } },
    networkPolicy: { hooksFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
    credentialProviders: [PROVIDER],
    serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
    metrics: { serviceMonitor: true, dashboards: true },
    logLevel: 'debug',
    logFormat: 'text',
  },
  'nothing that can be left out': {
    ...MINIMAL,
    crds: { install: false },
    metrics: { enabled: false },
    receivers: { enabled: false },
    networkPolicy: { enabled: false },
    nodeSelector: { pool: 'system' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
    priorityClassName: 'system-cluster-critical',
    extraArgs: ['--max-removal=10%'],
    extraEnv: [{ name: 'A', value: 'b' }],
  },
}

const keyOf = (o: KubeObject): string =>
  [o.kind, o.metadata.namespace, o.metadata.name].filter(Boolean).join('/')

/** Objects by key, without the mark that keeps them when the release is uninstalled. */
function byKey(objects: readonly KubeObject[]): Map<string, unknown> {
  return new Map(
    objects.map((o) => {
      const { [KEEP]: _, ...annotations } = o.metadata.annotations ?? {}
      const { annotations: __, ...metadata } = o.metadata
      const has = Object.keys(annotations).length > 0
      return [keyOf(o), { ...o, metadata: { ...metadata, ...(has ? { annotations } : {}) } }]
    }),
  )
}

const find = (values: object, key: string): KubeObject | undefined =>
  rendered(values).find((o) => keyOf(o) === key)
const DEPLOYMENT = 'Deployment/lockstep-system/lockstep-controller'
const POLICY = 'NetworkPolicy/lockstep-system/lockstep-controller'
const containerOf = (values: object): JsonValue =>
  at(find(values, DEPLOYMENT) as never, 'spec', 'template', 'spec', 'containers', 0)!

describe.skipIf(!hasHelm)('the chart', () => {
  it.each(Object.entries(VALUES))('lint accepts %s', (_, values) => {
    const { code, out, err } = lint(values)
    expect([code, out + err]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  it.each([
    [['a'], []],
    [
      ['a', 'b'],
      ['flux', 'pipelines', 'argocd'],
    ],
    [['a'], ['resource-sets', 'weave', 'clusterprofiles']],
    [['a'], ['resource-sets', 'capi']],
  ])('renders what install prints: namespaces %j with %j', (namespaces, profiles) => {
    const chart = byKey(rendered({ namespaces, with: profiles, image }))
    const args = ['--namespaces', namespaces.join(','), '--image', `${REPOSITORY}:${version}`]
    const install = byKey(installed([...args, '--with', profiles.join(',')]))
    // Helm creates the namespace of the release itself.
    expect(install.delete('Namespace/lockstep-system')).toBe(true)
    expect([...chart.keys()].sort()).toEqual([...install.keys()].sort())
    for (const [key, object] of install) expect(chart.get(key), key).toEqual(object)
  })

  it('keeps definitions and namespaces when the release is uninstalled, and no other object', () => {
    const kept = rendered(VALUES['two namespaces, all profiles']!).filter(
      (o) => o.metadata.annotations?.[KEEP] === 'keep',
    )
    expect(new Set(kept.map((o) => o.kind))).toEqual(new Set(['CustomResourceDefinition', 'Namespace']))
    expect(kept.filter((o) => o.kind === 'Namespace').map((o) => o.metadata.name)).toEqual(['a', 'b'])
    expect(rendered({ ...MINIMAL, crds: { install: false } }).map((o) => o.kind)).not.toContain(
      'CustomResourceDefinition',
    )
  })

  it('refuses another namespace for the release', () => {
    const { code, err } = template(MINIMAL, 'default')
    expect([code, err]).toEqual([1, expect.stringContaining('use: --namespace lockstep-system')])
  })
})

describe.skipIf(!hasHelm)('values', () => {
  it('unknown keys are refused at every depth', () => {
    const defaults = load(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Record<string, unknown>
    const free = ['resources', 'nodeSelector', 'affinity']
    const objects = Object.entries(defaults).filter(
      ([key, v]) => typeof v === 'object' && !Array.isArray(v) && !free.includes(key),
    )
    expect(objects.length).toBeGreaterThan(5)
    const typos: object[] = [{ typo: 1 }, { receivers: { ingress: { typo: 1 } } }]
    for (const [key] of objects) typos.push({ [key]: { ...(key === 'image' ? image : {}), typo: 1 } })
    for (const typo of typos) {
      const { code, err } = template({ ...MINIMAL, ...typo })
      expect([code, err]).toEqual([1, expect.stringContaining('Additional property typo is not allowed')])
    }
  }, 120_000)

  it.each([
    [{ image }, 'namespaces'],
    [{ namespaces: ['a'] }, 'image.repository'],
    [{ namespaces: ['kube-system'], image }, 'namespaces.0'],
    [{ ...MINIMAL, with: ['everything'] }, 'with.0'],
    [{ ...MINIMAL, replicas: 0 }, 'replicas'],
    [{ ...MINIMAL, proxy: { allowClusterProxies: ['http://p'] } }, 'proxy.allowClusterProxies.0'],
    [{ ...MINIMAL, credentialProviders: [{ name: 'eks' }] }, 'credentialProviders.0'],
    [{ ...MINIMAL, receivers: { enabled: false, ingress: { host: 'a' } } }, 'receivers.enabled is false'],
    [
      { ...MINIMAL, credentialProviders: [{ ...PROVIDER, servers: ['*'] }] },
      'credentialProviders.0.servers.0',
    ],
  ])('%j is refused', (values, field) => {
    const { code, err } = template(values)
    expect([code, err]).toEqual([1, expect.stringContaining(field)])
  })

  it('set the image', () => {
    expect(at(containerOf(MINIMAL), 'image')).toBe(`${REPOSITORY}:${version}`)
    expect(at(containerOf(VALUES['a digest and secrets']!), 'image')).toBe(
      `${REPOSITORY}@sha256:${'0'.repeat(64)}`,
    )
    expect(at(containerOf({ ...MINIMAL, image: { ...image, tag: 'x' } }), 'image')).toBe(`${REPOSITORY}:x`)
  })

  it.each(Object.entries(VALUES))('%s: the controller knows its arguments', async (_, values) => {
    const args = at(containerOf(values), 'args') as string[]
    expect(await commandLineProblem(args)).toBeUndefined()
  })

  it('have credential providers that the controller takes', () => {
    expect(parseProviders('providers.json', JSON.stringify({ providers: [PROVIDER] })).ok).toBe(true)
  })

  it('set arguments and variables', () => {
    const hooks = containerOf(VALUES['hooks, providers, monitoring']!)
    expect(at(hooks, 'args')).toEqual([
      'controller',
      '--metrics-address=:8080',
      '--health-address=:8081',
      '--events-address=:8082',
      '--cache-dir=/var/cache/lockstep',
      '--credential-provider=/etc/lockstep/providers/providers.json',
      '--log-level=debug',
      '--log-format=text',
    ])
    const least = containerOf(VALUES['nothing that can be left out']!)
    expect(at(least, 'args')).toEqual([
      'controller',
      '--health-address=:8081',
      '--cache-dir=/var/cache/lockstep',
      '--max-removal=10%',
    ])
    const proxied = containerOf(VALUES['a proxy and authorities']!)
    expect(at(proxied, 'args')).toEqual(
      expect.arrayContaining([
        '--allow-cluster-proxy=proxy.example.com:3128',
        '--allow-cluster-proxy=[fd00::8]',
      ]),
    )
    expect(at(proxied, 'env')).toEqual(
      expect.arrayContaining([
        { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
        { name: 'NO_PROXY', value: '.svc,10.0.0.0/8' },
        { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/lockstep/ca/ca.crt' },
      ]),
    )
  })

  it('open the network policy for hooks and further egress only', () => {
    expect(at(find(VALUES.minimal!, POLICY) as never, 'spec', 'ingress')).toHaveLength(1)
    const hooks = find(VALUES['hooks, providers, monitoring']!, POLICY)
    expect(at(hooks as never, 'spec', 'ingress', 1, 'ports', 0, 'port')).toBe(8082)
    const proxied = find(VALUES['a proxy and authorities']!, POLICY)
    expect(at(proxied as never, 'spec', 'egress', 2, 'ports', 0, 'port')).toBe(3128)
    expect(find(VALUES['nothing that can be left out']!, POLICY)).toBeUndefined()
  })

  it('a change of credential providers restarts the Pods', () => {
    const annotation = (values: object): JsonValue | undefined =>
      at(find(values, DEPLOYMENT) as never, 'spec', 'template', 'metadata', 'annotations')
    const other = { ...MINIMAL, credentialProviders: [{ ...PROVIDER, name: 'gke' }] }
    expect(annotation(MINIMAL)).toBeUndefined()
    expect(annotation(other)).not.toEqual(annotation(VALUES['hooks, providers, monitoring']!))
  })

  it('one replica has no disruption budget, which would block the drain of its node', () => {
    const kinds = (values: object) => rendered(values).map((o) => o.kind)
    expect(kinds(MINIMAL)).toContain('PodDisruptionBudget')
    expect(kinds(VALUES['one replica']!)).not.toContain('PodDisruptionBudget')
  })
})
