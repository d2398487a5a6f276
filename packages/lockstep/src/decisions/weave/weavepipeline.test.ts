import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../../kube/src/object/index.ts'
import { readWeavePipeline } from './weavepipeline.ts'

const pull = { type: 'github', url: 'https://github.com/o/r', baseBranch: 'main', secretRef: { name: 'git' } }
const PULL = { strategy: { 'pull-request': pull } }

const pipeline = (spec: object = {}, more: object = {}) =>
  ({
    apiVersion: 'pipelines.weave.works/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'podinfo', namespace: 'apps' },
    spec: {
      appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2beta1', kind: 'HelmRelease', name: 'podinfo' },
      environments: [
        { name: 'dev', targets: [{ namespace: 'dev' }] },
        { name: 'prod', targets: [{ namespace: 'prod' }] },
      ],
      promotion: PULL,
      ...spec,
    },
    ...more,
  }) as never

const read = (spec: object = {}, more: object = {}) => {
  const made = readWeavePipeline(pipeline(spec, more))
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  return made.value
}
const prod = (spec: object) => read(spec).given.environments as never as { promotion?: object }[]
const notes = (spec: object) => read(spec).findings.map((f) => `${f.path.join('.')}: ${f.why}`)
const problems = (spec: object, more: object = {}) => {
  const made = readWeavePipeline(pipeline(spec, more))
  return made.ok ? [] : made.error.map((p) => `${p.path.join('.')}: ${p.problem}`)
}
const environments = (promotion: object, name = 'prod') => [
  { name: 'dev', targets: [{ namespace: 'dev' }] },
  { name, targets: [{ namespace: 'prod' }], promotion },
]

describe('a Pipeline of weaveworks', () => {
  it('becomes ours, of the same name, with an identity of its own', () => {
    expect(read()).toMatchObject({
      namespace: 'apps',
      name: 'podinfo',
      given: {
        identity: `w-${sha256Hex('apps/podinfo').slice(0, 20)}`,
        appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2beta1', kind: 'HelmRelease', name: 'podinfo' },
        environments: [
          { name: 'dev', targets: [{ namespace: 'dev' }] },
          {
            name: 'prod',
            targets: [{ namespace: 'prod' }],
            promotion: {
              strategy: 'pull-request',
              pullRequest: {
                provider: 'github',
                url: 'https://github.com/o/r',
                baseBranch: 'main',
                secretRef: { name: 'git' },
              },
            },
          },
        ],
      },
    })
  })

  it('keeps its labels and annotations, and nothing that the server wrote', () => {
    const metadata = {
      name: 'podinfo',
      namespace: 'apps',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      labels: { team: 'a' },
      annotations: { b: 'c', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    }
    expect(read({}, { metadata, status: { observedGeneration: -1 } }).texts).toEqual({
      labels: { team: 'a' },
      annotations: { b: 'c' },
    })
  })

  it.each(['github', 'gitlab'])('promotes by pull requests of %s', (type) => {
    const promotion = { strategy: { 'pull-request': { ...pull, type } } }
    expect(prod({ promotion })[1]?.promotion).toMatchObject({ pullRequest: { provider: type } })
  })

  it('has main where it names no base', () => {
    const { baseBranch, ...rest } = pull
    const made = read({ promotion: { strategy: { 'pull-request': rest } } })
    expect(made.spec.environments[1]?.promotion?.pullRequest?.baseBranch).toBe('main')
  })

  it('announces by the same Event', () => {
    const promotion = { strategy: { notification: {} } }
    expect(prod({ promotion })[1]?.promotion).toEqual({ strategy: 'notification', notification: {} })
  })

  it('without a promotion is only looked at', () => {
    expect(prod({ promotion: undefined }).map((e) => e.promotion)).toEqual([undefined, undefined])
  })

  it('of an environment its own promotion counts, which levels did not read', () => {
    const own = { strategy: { 'pull-request': { ...pull, url: 'https://github.com/o/prod' } } }
    const spec = { environments: environments(own) }
    expect(prod(spec)[1]?.promotion).toMatchObject({ pullRequest: { url: 'https://github.com/o/prod' } })
    expect(notes(spec)[0]).toContain(
      'spec.environments.1.promotion: there, levels were promoted by spec.promotion',
    )
  })

  it('that is manual waits for an Approval, which levels did not', () => {
    const spec = { promotion: { ...PULL, manual: true } }
    expect(prod(spec)[1]?.promotion).toMatchObject({ approval: 'Required' })
    expect(notes(spec)[0]).toContain('spec.promotion.manual: there, levels were promoted without asking')
    expect(prod({ promotion: { ...PULL, manual: false } })[1]?.promotion).not.toHaveProperty('approval')
  })

  it('without a strategy is only looked at, and says so', () => {
    expect(prod({ promotion: { strategy: {} } })[1]?.promotion).toBeUndefined()
    expect(notes({ promotion: { strategy: {} } })[0]).toContain(
      'spec.promotion.strategy: it names no strategy',
    )
  })

  it('has the key of its events, and without one says that none are taken', () => {
    const secretRef = { name: 'hook' }
    const signed = read({ promotion: { strategy: { ...PULL.strategy, secretRef } } })
    expect([signed.given.webhook, signed.findings]).toEqual([{ secretRef }, []])
    expect(notes({})).toEqual([expect.stringContaining('unsigned events promoted')])
    const own = read({ environments: environments({ strategy: { ...PULL.strategy, secretRef } }) })
    expect(own.given.webhook).toEqual({ secretRef })
    expect(own.findings.map((f) => f.why).join()).toContain('unsigned events were taken')
  })

  it('finds its clusters by their names', () => {
    const clusterRef = { kind: 'GitopsCluster', name: 'eu', apiVersion: 'gitops.weave.works/v1alpha1' }
    const targets = [{ namespace: 'prod', clusterRef: { ...clusterRef, namespace: 'apps' } }]
    const [dev] = read({ environments: [{ name: 'dev', targets }] }).spec.environments
    expect(dev?.targets).toEqual([{ namespace: 'prod', clusterRef: { name: 'eu' } }])
  })

  it('may have several targets and more than two environments, in their order', () => {
    const names = ['a', 'b', 'c']
    const all = names.map((name) => ({ name, targets: [{ namespace: name }, { namespace: `${name}2` }] }))
    expect(read({ environments: all }).spec.environments.map((e) => [e.name, e.targets.length])).toEqual(
      names.map((name) => [name, 2]),
    )
  })
})

const withTarget = (target: object) => ({ environments: [{ name: 'dev', targets: [target] }] })
const ref = (more: object) =>
  withTarget({ namespace: 'x', clusterRef: { kind: 'GitopsCluster', name: 'eu', ...more } })
const strategy = (more: object) => ({ promotion: { strategy: more } })

describe('is refused, with the path,', () => {
  it.each<[string, object, string]>([
    ['an unknown field', { paused: true }, 'spec.paused: unknown field; there is appRef'],
    [
      'one of a target',
      withTarget({ namespace: 'x', cluster: 'eu' }),
      'spec.environments.0.targets.0.cluster: unk',
    ],
    ['one of a promotion', { promotion: { ...PULL, auto: true } }, 'spec.promotion.auto: unknown field'],
    [
      'one of older versions',
      { promotion: { 'pull-request': pull } },
      'spec.promotion.pull-request: unknown field',
    ],
    [
      'one of a pull request',
      strategy({ 'pull-request': { ...pull, branch: 'main' } }),
      'spec.promotion.strategy.pull-request.branch: unknown field',
    ],
    ['one of a notification', strategy({ notification: { url: 'x' } }), 'notification.url: unknown field'],
    ['no appRef', { appRef: undefined }, 'spec.appRef: is missing'],
    ['an appRef without a name', { appRef: { apiVersion: 'v1', kind: 'A' } }, 'spec.appRef.name: is missing'],
    ['no environment', { environments: [] }, 'spec.environments: must have an environment'],
    [
      'one twice',
      { environments: [...environments(PULL, 'dev')] },
      'spec.environments.1.name: dev is a duplicate name',
    ],
    [
      'a name in capitals',
      { environments: environments(PULL, 'Prod') },
      'spec.environments.1.name: "Prod" must be',
    ],
    ['no target', { environments: [{ name: 'dev', targets: [] }] }, 'spec.environments.0.targets: NoTargets'],
    [
      'another kind of cluster',
      ref({ kind: 'Cluster' }),
      'clusterRef.kind: must be GitopsCluster, is Cluster',
    ],
    [
      'a cluster elsewhere',
      ref({ namespace: 'fleet' }),
      'clusterRef.namespace: clusters of a pipeline are in its',
    ],
    [
      'both strategies',
      strategy({ 'pull-request': pull, notification: {} }),
      'spec.promotion.strategy: StrategyAmbiguous',
    ],
    [
      'bitbucket',
      strategy({ 'pull-request': { ...pull, type: 'bitbucket-server' } }),
      'spec.promotion.strategy.pull-request.type: HostUnsupported: bitbucket-server',
    ],
    [
      'SSH',
      strategy({ 'pull-request': { ...pull, url: 'ssh://git@h/o/r' } }),
      'pull-request.url: ssh://git@h/o/r: write',
    ],
    [
      'no credentials',
      strategy({ 'pull-request': { ...pull, secretRef: undefined } }),
      'pull-request.secretRef: is missing',
    ],
    [
      'a text as a flag',
      { promotion: { ...PULL, manual: 'yes' } },
      'spec.promotion.manual: must be true or false',
    ],
    ['a list as an object', { promotion: [] }, 'spec.promotion: must be an object'],
    [
      'two keys',
      {
        promotion: { strategy: { ...PULL.strategy, secretRef: { name: 'a' } } },
        environments: environments({ strategy: { ...PULL.strategy, secretRef: { name: 'b' } } }),
      },
      'spec.environments.1.promotion.strategy.secretRef.name: a pipeline has one Secret',
    ],
  ])('%s', (_, spec, problem) => {
    expect(problems(spec).join('\n')).toContain(problem)
  })

  it('a name that ours cannot have', () => {
    const metadata = { name: 'podinfo' }
    expect(problems({}, { metadata }).join()).toContain('metadata.namespace: is missing')
    expect(readWeavePipeline(pipeline({}, { metadata }), 'apps')).toMatchObject({
      value: { namespace: 'apps' },
    })
  })
})
