import { describe, expect, it } from 'vitest'
import { moduleSpec } from '../../../api/kinds/module.ts'
import { applicationModuleName, applicationModules } from './companions.ts'

const CONTENT = { source: { git: { url: 'https://git/p', ref: { branch: 'main' } } } }
const app = (name: string, wave: number) => ({ name, wave, spec: CONTENT })
const parent = moduleSpec.parse({
  ...{
    source: { none: {} },
    release: '2026.11',
    targets: { clusterSelector: { matchLabels: { hub: 'yes' } } },
  },
  rollout: { maxUnavailable: '10%', stages: [{ name: 'canary', size: 1 }], strategy: 'Staged' },
})

describe('Modules of applications', () => {
  const made = applicationModules('edge', parent, [
    app('vault', 5),
    app('eso', -2),
    app('ui', 5),
    app('db', 0),
  ])
  const needs = Object.fromEntries(made.map((m) => [m.name, m.spec.dependsOn?.map((e) => e.id)]))

  it('wait for the cluster group, and for all of the wave before their own', () =>
    expect(needs).toEqual({
      'edge-eso': ['edge'],
      'edge-db': ['edge', 'edge-eso'],
      'edge-vault': ['edge', 'edge-db'],
      'edge-ui': ['edge', 'edge-db'],
    }))
  it('go where it goes, at its release, within its limits; stages are its own', () => {
    for (const { spec } of made) {
      expect(spec).toMatchObject({ release: '2026.11', targets: parent.targets, ...CONTENT })
      expect(spec.rollout).toEqual({ maxUnavailable: '10%', maxUnreachable: parent.rollout.maxUnreachable })
      expect(moduleSpec.safeParse(spec).success).toBe(true)
    }
  })
  it('compare releases where the group has one', () => {
    const releases = (p: typeof parent) =>
      applicationModules('edge', p, [app('vault', 0)]).map((m) => m.spec.dependsOn?.map((e) => e.release))
    expect(releases(parent)).toEqual([['Same']])
    expect(releases({ ...parent, release: undefined })).toEqual([['Any']])
  })
  it('have names that Modules can have', () => {
    expect(applicationModuleName('hub', 'vault')).toBe('hub-vault')
    for (const name of [`a${'b'.repeat(80)}`, 'My_App', 'a.b'])
      expect(applicationModuleName('hub', name)).toMatch(/^[a-z0-9][-a-z0-9]{0,61}[a-z0-9]$/)
    expect(applicationModuleName('hub', 'a.b')).not.toBe(applicationModuleName('hub', 'a-b'))
  })
})
