import { describe, expect, it } from 'vitest'
import type { ServedResource } from './client.ts'
import { resolveResourceType, resourceName } from './resourcetype.ts'

const resource = (
  apiVersion: string,
  kind: string,
  plural: string,
  singular: string,
  shortNames: readonly string[] = [],
): ServedResource => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const rest = { namespaced: true, verbs: [], hasStatus: false, preferred: true }
  return { group, version, kind, plural, singular, shortNames, ...rest }
}

const SERVED = [
  resource('events.k8s.io/v1', 'Event', 'events', 'event', ['ev']),
  resource('v1', 'Event', 'events', 'event', ['ev']),
  resource('storage.k8s.io/v1', 'StorageClass', 'storageclasses', 'storageclass', ['sc']),
  resource('storage.k8s.io/v1beta1', 'StorageClass', 'storageclasses', 'storageclass', ['sc']),
  resource('b.example.com/v1', 'Kafka', 'kafkas', 'kafka'),
  resource('a.example.com/v1', 'Kafka', 'kafkas', 'kafka'),
  resource('v1.example.com/v2', 'Topic', 'topics', 'topic'),
]

const found = (type: string): string | undefined => {
  const r = resolveResourceType(SERVED, type)
  return r && `${resourceName(r)} ${r.version}`
}

describe('a type', () => {
  it.each([
    'sc',
    'SC',
    'storageclass',
    'StorageClass',
    'storageclasses',
    'storageclasses.storage.k8s.io',
    'StorageClass.storage.k8s.io',
    'storageclasses.v1.storage.k8s.io',
  ])('%s is the plural, the singular, a short name or the kind, with or without its group', (type) =>
    expect(found(type)).toBe('storageclasses.storage.k8s.io v1'),
  )
  it('with a version is of that version', () =>
    expect(found('sc.v1beta1.storage.k8s.io')).toBe('storageclasses.storage.k8s.io v1beta1'))
  it('of several groups is that of the core group', () => expect(found('events')).toBe('events v1'))
  it('of several other groups is that which discovery has first', () =>
    expect(found('kafka')).toBe('kafkas.b.example.com v1'))
  it('may have a group that begins like a version', () =>
    expect(found('topics.v1.example.com')).toBe('topics.v1.example.com v2'))
  it.each(['', 'storage', 'sc.apps', 'sc.v2.storage.k8s.io', 'kafkas.kafka.strimzi.io', '.storage.k8s.io'])(
    '%j is not served',
    (type) => expect(found(type)).toBeUndefined(),
  )
})
