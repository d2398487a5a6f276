import { describe, expect, it } from 'vitest'
import { bytesToBase64, type JsonObject, type KubeObject } from '../../../../kube/src/object/index.ts'
import {
  isSecretNewer,
  lastLines,
  outputContainerOf,
  redactedHookOutput,
  secretsOfPod,
  wholeLines,
} from './hookoutput.ts'

const base64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))

const secret = (data: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, base64(v)])),
})

describe('output without values of Secrets', () => {
  it.each([
    ['a value', 'login as hunter22 failed', { p: 'hunter22' }, 'login as *** failed'],
    ['its base64', `got ${base64('hunter22')}`, { p: 'hunter22' }, 'got ***'],
    ['as a part of a URL', 'http://a:p%40ss%2Fword@db', { p: 'p@ss/word' }, 'http://a:***@db'],
    ['a line of it', 'key line-two here', { k: 'line-one\nline-two\n' }, 'key *** here'],
    ['the longer one first', 'x hunter22-extra', { a: 'hunter22', b: 'hunter22-extra' }, 'x ***'],
    ['nothing that is too short to be one', 'a 1 b', { n: '1' }, 'a 1 b'],
    ['signs that mean something in a pattern', 'p $& (x.*)', { p: '(x.*)' }, 'p $& ***'],
  ])('%s', (_, text, data, shown) => expect(redactedHookOutput(text, [secret(data)])).toBe(shown))

  it('of stringData too', () => {
    const o = { ...secret({}), stringData: { p: 'hunter22' } }
    expect(redactedHookOutput('hunter22', [o])).toBe('***')
  })
})

it('a log that was cut has no half line, in which half a value could be', () => {
  expect(wholeLines('one\ntwo', 8)).toBe('one\ntwo')
  expect(wholeLines('one\nhunt', 8)).toBe('one')
  expect(wholeLines('onehunt', 7)).toBeUndefined()
})

describe('a Secret that is newer than the Pod', () => {
  const at = (second: number): string => `2026-01-01T00:00:0${second}Z`
  const made = (created: number, ...writes: readonly (readonly [number, object])[]): KubeObject => ({
    ...secret({ p: 'hunter22' }),
    metadata: {
      name: 's',
      creationTimestamp: at(created),
      managedFields: writes.map(([time, fieldsV1]) => ({
        manager: 'm',
        operation: 'Update' as const,
        time: at(time),
        fieldsV1: fieldsV1 as JsonObject,
      })),
    },
  })
  const data = { 'f:data': { 'f:p': {} } }
  it.each<[string, KubeObject, boolean]>([
    ['was there before', made(1, [1, data]), false],
    ['was made in the same second', made(2, [2, data]), false],
    ['was made anew', made(3), true],
    ['has got other values', made(1, [3, data]), true],
    ['has got a label', made(1, [1, data], [3, { 'f:metadata': {} }]), false],
  ])('%s', (_, o, newer) => expect(isSecretNewer(o, pod('aa', 'Failed'))).toBe(newer))
})

it('the last whole lines that fit, or the end of one', () => {
  expect(lastLines('one\ntwo\nthree', 9)).toBe('two\nthree')
  expect(lastLines('one\ntwo', 100)).toBe('one\ntwo')
  expect(lastLines('abcdefgh', 3)).toBe('…fgh')
})

const pod = (name: string, phase: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, creationTimestamp: `2026-01-01T00:00:0${name.length}Z` },
  spec: {
    containers: [
      { name: 'main', env: [{ valueFrom: { secretKeyRef: { name: 'db', key: 'p' } } }] },
      { name: 'side', envFrom: [{ secretRef: { name: 'more' } }, { configMapRef: { name: 'plain' } }] },
    ],
  },
  status: { phase, ...more },
})

describe('who is listened to', () => {
  it('the Pod that failed last, and its container that failed', () => {
    const statuses = [
      { name: 'main', state: { terminated: { exitCode: 0 } } },
      { name: 'side', state: { terminated: { exitCode: 2 } } },
    ]
    const failed = pod('aa', 'Failed', { containerStatuses: statuses })
    const spoken = outputContainerOf([pod('aaa', 'Succeeded'), failed, pod('a', 'Failed')])
    expect([spoken?.pod.metadata.name, spoken?.container]).toEqual(['aa', 'side'])
  })

  it('an init container that failed', () => {
    const statuses = [{ name: 'prepare', lastState: { terminated: { exitCode: 1 } } }]
    expect(outputContainerOf([pod('a', 'Pending', { initContainerStatuses: statuses })])?.container).toBe(
      'prepare',
    )
  })

  it('without a failure the newest, and its first container', () => {
    const spoken = outputContainerOf([pod('aa', 'Succeeded'), pod('a', 'Succeeded')])
    expect([spoken?.pod.metadata.name, spoken?.container]).toEqual(['aa', 'main'])
    expect(outputContainerOf([])).toBeUndefined()
  })

  it('all Secrets that it is given', () => expect(secretsOfPod(pod('a', 'Running'))).toEqual(['db', 'more']))
})
