import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { lastLines, outputContainerOf, secretsOfPod, wholeLines } from './lastlines.ts'

it('a log that was cut has no half line, in which half a value could be', () => {
  expect(wholeLines('one\ntwo', 8)).toBe('one\ntwo')
  expect(wholeLines('one\nhunt', 8)).toBe('one')
  expect(wholeLines('onehunt', 7)).toBeUndefined()
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
