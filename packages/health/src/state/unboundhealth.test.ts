import { expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { healthOf } from '../health/health.ts'
import { defaultClass, isUnbound, unboundHealth } from './unboundhealth.ts'

const claim = (spec: object, status: object = { phase: 'Pending' }, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'app', ...metadata },
  spec,
  status,
})
const cls = (name: string, volumeBindingMode?: string, annotations?: Record<string, string>, at = 1) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, creationTimestamp: `2026-01-0${at}T00:00:00Z`, ...(annotations ? { annotations } : {}) },
  ...(volumeBindingMode ? { volumeBindingMode } : {}),
})

it.each([
  ['pending', claim({ storageClassName: 'local' }), true],
  ['pending, of the default class', claim({}), true],
  ['pending, of no class', claim({ storageClassName: '' }), false],
  ['pending, of a volume that it names', claim({ storageClassName: 'local', volumeName: 'v' }), false],
  ['bound', claim({ storageClassName: 'local' }, { phase: 'Bound' }), false],
  ['lost', claim({ storageClassName: 'local' }, { phase: 'Lost' }), false],
  ['not checked yet', claim({ storageClassName: 'local' }, {}), false],
  ['being deleted', claim({}, { phase: 'Pending' }, { deletionTimestamp: 'now' }), false],
])('a claim that is %s', (_, o, expected) => expect(isUnbound(o)).toBe(expected))

const named = claim({ storageClassName: 'local' })
const said = (o: KubeObject, found: Parameters<typeof unboundHealth>[2]) => {
  const { state, message } = unboundHealth(healthOf(o, 0), o, found)
  return `${state}: ${message}`
}

it.each([
  [
    'waits for its Pod',
    named,
    { class: cls('local', 'WaitForFirstConsumer') },
    'Healthy: is bound for its first Pod, by StorageClass local',
  ],
  [
    'waits for its Pod by default',
    claim({}),
    { class: cls('x', 'WaitForFirstConsumer') },
    'Healthy: is bound for its first Pod, by the default StorageClass',
  ],
  ['is bound at once', named, { class: cls('local', 'Immediate') }, 'Progressing: phase Pending'],
  ['is bound as by default', named, { class: cls('local') }, 'Progressing: phase Pending'],
  [
    'lacks its class',
    named,
    { class: undefined },
    'Progressing: phase Pending; there is no StorageClass local',
  ],
  [
    'lacks a default class',
    claim({}),
    { class: undefined },
    'Progressing: phase Pending; no StorageClass is the default',
  ],
  [
    'has a class that may not be read',
    named,
    { unread: 'forbidden' },
    'Progressing: phase Pending; StorageClass local cannot be read: forbidden',
  ],
])('a claim that %s', (_, o, found, text) => expect(said(o, found)).toBe(text))

const yes = { 'storageclass.kubernetes.io/is-default-class': 'true' }
const old = { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }

it.each([
  [
    'none',
    [cls('a'), cls('b', 'Immediate', { 'storageclass.kubernetes.io/is-default-class': 'false' })],
    undefined,
  ],
  ['the one that says so', [cls('a'), cls('b', 'Immediate', yes)], 'b'],
  ['in the old words', [cls('a'), cls('b', 'Immediate', old)], 'b'],
  [
    'the newest',
    [cls('a', 'Immediate', yes, 1), cls('b', 'Immediate', yes, 3), cls('c', 'Immediate', yes, 2)],
    'b',
  ],
  ['of equally old ones the first by name', [cls('b', 'Immediate', yes), cls('a', 'Immediate', yes)], 'a'],
])('the default class is %s', (_, classes, name) => {
  expect(defaultClass(classes)?.metadata.name).toBe(name)
})
