import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../../kube/src/object/index.ts'
import { waitLoopOf, waitLoopOfJob } from './waitloop.ts'

const script = (get: string, ...other: readonly [index: number, line: string][]): string => {
  const lines = [
    'while [ 1 ];',
    'do',
    `  oc get ${get} && break`,
    '  echo "not found, waiting..."',
    '  sleep 5',
    'done',
    'echo "found, exiting..."',
    'exit 0',
    '',
  ]
  for (const [index, line] of other) lines[index] = line
  return lines.join('\n')
}
const sh = (text: string): JsonValue => ['/bin/bash', '-c', text]
const FAST = { resourceType: 'sc', resourceName: 'fast' }

describe('a script that only waits', () => {
  it.each<[string, JsonValue, object]>([
    ['as the chart writes it', sh(script('sc fast')), FAST],
    [
      'in a namespace',
      sh(script('deploy web -n shop')),
      { resourceType: 'deploy', resourceName: 'web', resourceNamespace: 'shop' },
    ],
    ['for a type alone', sh(script('kafkas.kafka.strimzi.io')), { resourceType: 'kafkas.kafka.strimzi.io' }],
    ['with other blanks', sh(script('  sc\tfast ', [0, '\twhile  [ 1 ]'])), FAST],
    ['with quotes', sh(script(`"sc" 'fast'`)), FAST],
    [
      'with other words and another pause',
      sh(script('sc fast', [3, 'echo waiting'], [4, 'sleep 30s'], [6, "echo 'there!'"])),
      FAST,
    ],
    ['of another shell', ['/bin/sh', '-c', script('sc fast')], FAST],
  ])('%s', (_, command, awaited) => expect(waitLoopOf(command)).toEqual(awaited))
})

describe('a script that does more', () => {
  it.each<[string, JsonValue]>([
    ['is of another shell', ['/bin/zsh', '-c', script('sc fast')]],
    ['stops at errors', ['/bin/bash', '-ec', script('sc fast')]],
    ['has an argument more', ['/bin/bash', '-c', script('sc fast'), 'x']],
    ['is a text', script('sc fast')],
    ['is nothing', null],
    ['has one more line', sh(`${script('sc fast')}oc label sc fast a=b\n`)],
    ['has one line less', sh(script('sc fast').replace('exit 0\n', ''))],
    ['ends otherwise', sh(script('sc fast', [7, 'exit 1']))],
    ['asks for conditions', sh(script('pods -l app=web'))],
    ['asks for a name with a type', sh(script('sc/fast'))],
    ['asks for several types', sh(script('sc,pv fast'))],
    ['asks in all namespaces', sh(script('deploy web -A'))],
    ['has a name that a shell makes', sh(script('sc $NAME'))],
    ['tells what a command says', sh(script('sc fast', [3, 'echo "$(oc delete sc slow)"']))],
    ['tells, and does', sh(script('sc fast', [3, 'echo waiting; oc delete sc slow']))],
    ['tells into a file', sh(script('sc fast', [6, 'echo found > /tmp/x']))],
  ])('%s', (_, command) => expect(waitLoopOf(command)).toBeUndefined())
})

describe('a Job that only waits', () => {
  const container = { name: 'a', image: 'i', command: sh(script('sc fast')) }
  const job = (metadata: object = {}, spec: object = {}, pod: object = {}, more: object = {}): JsonObject =>
    ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a', annotations: { 'argocd.argoproj.io/hook': 'Sync' }, ...metadata },
      spec: {
        parallelism: 1,
        completions: 1,
        template: { spec: { restartPolicy: 'OnFailure', containers: [container], ...pod } },
        ...spec,
      },
      ...more,
    }) as unknown as JsonObject

  it('is a hook with that one container', () => {
    expect(waitLoopOfJob(job())).toEqual(FAST)
    expect(waitLoopOfJob(job({ labels: { a: 'b' } }, { backoffLimit: 3 }))).toEqual(FAST)
  })
  it.each<[string, JsonObject]>([
    ['is no hook', job({ annotations: { a: 'b' } })],
    ['has no annotations', job({ annotations: null })],
    ['has a namespace', job({ namespace: 'a' })],
    ['has a deadline', job({}, { activeDeadlineSeconds: 5 })],
    ['runs as somebody', job({}, {}, { serviceAccountName: 'a' })],
    ['has two containers', job({}, {}, { containers: [container, container] })],
    ['has no container', job({}, {}, { containers: [] })],
    ['has an environment', job({}, {}, { containers: [{ ...container, env: [] }] })],
    ['has no template', job({}, { template: null })],
    ['has a status', job({}, {}, {}, { status: {} })],
    ['is no Job', { ...job(), kind: 'CronJob' }],
    ['is of another version', { ...job(), apiVersion: 'batch/v2' }],
  ])('but not one that %s', (_, o) => expect(waitLoopOfJob(o)).toBeUndefined())
})
