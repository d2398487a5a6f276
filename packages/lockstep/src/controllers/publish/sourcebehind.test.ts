/** Changes of a source since its release was frozen, in one sentence. */
import type { Stored } from '@lockstep/kube/object'
import { describe, expect, it } from 'vitest'
import type { Module } from '../../api/kinds/index.ts'
import type { ResolvedSource } from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../cache/index.ts'
import { sourceBehind } from './sourcebehind.ts'

const WAS = 'c0131ba'.padEnd(40, '0')
const IS = '398036d'.padEnd(40, '0')

const moduleOf = (source: object): Stored<Module> => ({ spec: { release: '1', source } }) as never
const frozenAt = (sourceRevision: string, inputs: Readonly<Record<string, string>>): RevisionRecord =>
  ({ sourceRevision, inputs: inputsOf(inputs) }) as never
const latest = (sourceRevision: string, inputs: Readonly<Record<string, string>>): ResolvedSource => ({
  sourceRevision,
  inputs: inputsOf(inputs),
  manifests: () => {
    throw new Error('nothing is rendered')
  },
})
const inputsOf = (inputs: Readonly<Record<string, string>>) =>
  Object.entries(inputs).map(([path, digest]) => ({ path, digest }))

const git = (ref: object) => ({ git: { url: 'https://git.test/p', ref } })
const commit = (id: string) => ({ 'source.git': `sha1:${id}` })
const at = (label: string, id: string): [string, Record<string, string>] => [
  `${label}@sha1:${id}`,
  commit(id),
]

describe('a source that is as it was', () => {
  it.each<
    [
      what: string,
      source: object,
      was: [string, Record<string, string>],
      is: [string, Record<string, string>],
    ]
  >([
    ['a branch', git({ branch: 'main' }), at('main', WAS), at('main', WAS)],
    ['another name of the commit', git({ semver: '^1' }), at('v1.0.0', WAS), at('v1.0.1', WAS)],
    [
      'bindings that have other values',
      git({ branch: 'main' }),
      [`main@sha1:${WAS}`, { ...commit(WAS), bindings: 'a' }],
      at('main', WAS),
    ],
  ])('%s: is not behind', (_, source, was, is) => {
    expect(sourceBehind(moduleOf(source), frozenAt(...was), latest(...is))).toBeUndefined()
  })
})

describe('a source that has moved', () => {
  it.each<
    [
      what: string,
      source: object,
      was: [string, Record<string, string>],
      is: [string, Record<string, string>],
      text: string,
    ]
  >([
    [
      'a branch',
      git({ branch: 'main' }),
      at('main', WAS),
      at('main', IS),
      'branch main has moved to 398036d; release 1 is frozen at c0131ba: raise spec.release to deliver it',
    ],
    [
      'a tag',
      git({ tag: 'v1' }),
      at('v1', WAS),
      at('v1', IS),
      'tag v1 has moved to 398036d; release 1 is frozen at c0131ba: raise spec.release to deliver it',
    ],
    [
      'a range',
      git({ semver: '^1.2' }),
      at('v1.2.0', WAS),
      at('v1.3.0', IS),
      'range ^1.2 has moved to v1.3.0; release 1 is frozen at v1.2.0: raise spec.release to deliver it',
    ],
    [
      'a chart',
      { helm: { chart: 'podinfo', version: '6.x' } },
      ['6.0.0@sha256:a', { 'source.helm': 'a' }],
      ['6.1.0@sha256:b', { 'source.helm': 'b' }],
      'chart podinfo has version 6.1.0; release 1 is frozen at 6.0.0: raise spec.release to deliver it',
    ],
    [
      'a chart that was published again under its version',
      { helm: { chart: 'podinfo', version: '6.0.0' } },
      ['6.0.0@sha256:a', { 'source.helm': 'a' }],
      ['6.0.0@sha256:b', { 'source.helm': 'b' }],
      'the source changed; release 1 is frozen: raise spec.release to deliver it',
    ],
    [
      'a ConfigMap',
      { configMaps: [{ name: 'web' }] },
      ['configMaps@sha256:a', { 'source.configMaps': 'a' }],
      ['configMaps@sha256:b', { 'source.configMaps': 'b' }],
      'ConfigMap web changed; release 1 is frozen: raise spec.release to deliver it',
    ],
    [
      'one of many',
      { configMaps: ['a', 'b', 'c', 'd'].map((name) => ({ name })) },
      ['configMaps@sha256:a', { 'source.configMaps': 'a' }],
      ['configMaps@sha256:b', { 'source.configMaps': 'b' }],
      'ConfigMap a or ConfigMap b or 2 more inputs changed; release 1 is frozen: raise spec.release to deliver it',
    ],
    [
      'an input that is gone',
      { resources: [] },
      ['resources@sha256:a', { 'source.resources[a]': 'a', 'source.resources[b]': 'b' }],
      ['resources@sha256:b', { 'source.resources[a]': 'a' }],
      'the source changed; release 1 is frozen: raise spec.release to deliver it',
    ],
  ])('%s is named', (_, source, was, is, text) => {
    const module = moduleOf(source)
    expect(sourceBehind(module, frozenAt(...was), latest(...is))).toBe(text)
    expect(text.length).toBeLessThanOrEqual(140)
  })
})
