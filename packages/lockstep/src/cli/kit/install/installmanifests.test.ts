import { at, type JsonObject } from '@lockstep/kube/object'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '../../../api/rights.ts'
import { installManifests } from './installmanifests.ts'

const IMAGE = 'registry.example.com/lockstep:1.2.3'
const all = installManifests({ namespaces: ['platform'], profiles: [], controller: { image: IMAGE } })
const nameOf = (o: JsonObject): string => `${o.kind}/${at(o, 'metadata', 'name')}`
const find = (name: string): JsonObject => all.find((o) => nameOf(o) === name)!
const deployment = find('Deployment/lockstep-controller')
const pod = at(deployment, 'spec', 'template', 'spec')

it('each profile has roles of its own: manifests without it take nothing away', () => {
  const isRole = (o: JsonObject): boolean => String(o.kind).endsWith('Role')
  const idOf = (o: JsonObject): string => `${nameOf(o)} ${at(o, 'metadata', 'namespace') ?? ''}`
  const all = installManifests({ namespaces: ['platform'], profiles: PROFILES }).filter(isRole)
  const others = installManifests({ namespaces: ['team-a'], profiles: [] }).filter(isRole)
  expect(all.length).toBeGreaterThan(others.length)
  for (const o of others) expect(all.find((x) => idOf(x) === idOf(o))).toEqual(o)
})

describe('the controller in a hub', () => {
  it('is left out where it runs elsewhere; all else is the same', () => {
    const without = installManifests({ namespaces: ['platform'], profiles: [] })
    const more = all.map(nameOf).filter((name) => !without.map(nameOf).includes(name))
    expect(more.sort()).toEqual([
      'Deployment/lockstep-controller',
      'NetworkPolicy/lockstep-controller',
      'PodDisruptionBudget/lockstep-controller',
      'Service/lockstep-events',
      'Service/lockstep-metrics',
    ])
  })

  it('has two replicas, and updates without a gap', () => {
    expect(deployment.spec).toMatchObject({
      replicas: 2,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    })
    expect(find('PodDisruptionBudget/lockstep-controller').spec).toMatchObject({ minAvailable: 1 })
  })

  it('keeps the profile restricted of Pod Security Standards', () => {
    expect(at(find('Namespace/lockstep-system'), 'metadata', 'labels')).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    })
    expect(pod).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
    })
  })

  it('gets the ports of its probes and Services by its arguments', () => {
    const container = at(pod, 'containers', 0)
    expect(at(container, 'args')).toEqual([
      'controller',
      '--metrics-address=:8080',
      '--health-address=:8081',
      '--events-address=:8082',
      '--cache-dir=/var/cache/lockstep',
    ])
    expect(at(container, 'env')).toEqual([{ name: 'HOME', value: '/tmp' }])
    expect(at(container, 'image')).toBe(IMAGE)
    for (const name of ['metrics', 'events'])
      expect(at(find(`Service/lockstep-${name}`), 'spec', 'selector')).toEqual(
        at(deployment, 'spec', 'selector', 'matchLabels'),
      )
  })

  it('serves Pipelines of Weaveworks where their rights are installed', () => {
    const weave = installManifests({ namespaces: [], profiles: ['weave'], controller: { image: IMAGE } })
    const args = at(weave.at(-1), 'spec', 'template', 'spec', 'containers', 0, 'args')
    expect(args).toContain('--serve-weave-pipelines')
  })
})
