import { describe, expect, it } from 'vitest'
import { at } from '../../../../kube/src/object/index.ts'
import { moduleSpec } from '../../api/kinds/module/spec.ts'
import { files, hub } from '../../decisions/clustergroup/clustergroup.cases.ts'
import { type GroupSource, importClusterGroup } from './importclustergroup.ts'

const git = { url: 'https://git.example.com/p', ref: { branch: 'main' } }
const SOURCE: GroupSource = { git, valuesFiles: ['values.yaml'] }

function imported(members: string, source = SOURCE, top = '') {
  const made = importClusterGroup(files(hub(members, top)), source)
  if (!made.ok) throw new Error(made.error.map((p) => p.text).join('\n'))
  return made.value
}
const wave = (n: string): string => `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`
const odf = (job: string): string => `subscriptions: {odf: {name: odf, ${wave('5')}, sequenceJob: ${job}}}`

const ARGO_NEEDED = {
  level: 'note',
  path: 'clusterGroup.applications',
  why: 'go to namespace p-hub, where an Argo CD must manage them: a Module creates neither',
}

describe('a Module of values files', () => {
  it('renders them with waits, where the Jobs of the chart would be', () => {
    const { name, module, listed } = imported('namespaces: [a]', { ...SOURCE, namespace: 'fleet' })
    expect([name, listed]).toEqual(['hub', []])
    expect(module).toMatchObject({ kind: 'Module', metadata: { name: 'hub', namespace: 'fleet' } })
    expect(at(module, 'spec')).toEqual({
      source: { git },
      render: {
        namespace: 'openshift-operators',
        clusterGroup: { valuesFiles: ['values.yaml'], sequencing: 'Native' },
      },
      health: { timeoutSeconds: 3600 },
    })
    expect(moduleSpec.safeParse(at(module, 'spec')).success).toBe(true)
  })
  it('says so where nobody can tell the repository', () => {
    const { module, listed } = imported('', {
      git: undefined,
      problem: 'it has no remote origin',
      valuesFiles: [],
    })
    expect(at(module, 'spec', 'source')).toBeUndefined()
    expect(listed).toMatchObject([
      {
        level: 'loss',
        path: 'clusterGroup',
        why: 'comes from an unknown repository: it has no remote origin',
        todo: 'Add url and ref of its repository to spec.source.git',
      },
    ])
  })
  it('has a name that a Module can have', () => {
    const made = importClusterGroup(files('clusterGroup: {name: Edge_Site 1}'), SOURCE)
    expect(made).toMatchObject({
      ok: true,
      value: { name: 'edge-site-1', listed: [{ level: 'note', path: 'clusterGroup.name' }] },
    })
  })
  it('is not made of values that are refused', () =>
    expect(importClusterGroup(files('clusterGroup: {name: 5}'), SOURCE).ok).toBe(false))
})

describe('what comes of it', () => {
  it('is counted by kind, without waits', () => {
    const { objects, waits, jobs } = imported(
      `namespaces: [a, b]\n${odf('{resourceType: sc, resourceName: fast, resourceNamespace: storage}')}`,
    )
    expect(objects).toEqual([
      { kind: 'Namespace', count: 2 },
      { kind: 'OperatorGroup', count: 2 },
      { kind: 'Subscription', count: 1 },
    ])
    expect(waits).toEqual([
      { wave: '5', phase: 'Sync', for: 'sc fast in storage', asked: 'sequenceJob of odf' },
    ])
    expect(jobs).toEqual([])
  })
  it('waits for any object where none is named', () =>
    expect(imported(odf('{resourceType: sc}')).waits[0]?.for).toBe('sc, any'))

  it('Jobs that stay, each with why', () => {
    const of = (job: string): string[] => imported(job).jobs.map((j) => `${j.name} ${j.wave}: ${j.why}`)
    expect(of(odf('{command: [oc, label, node, a]}'))).toEqual([
      'odf-sequencejob 5: its command is another one than the loop that only waits',
    ])
    expect(of(odf('{resourceType: sc, resourceName: a, hookType: SyncFail}'))).toEqual([
      'odf-sequencejob 5: it runs at SyncFail, when nothing is kept open',
    ])
  })
  const LOOP =
    '[/bin/sh, -c, "while [ 1 ];\\ndo\\noc get sc fast && break\\necho a\\nsleep 5\\ndone\\necho b\\nexit 0"]'
  const extra = (pod: string, metadata = '{name: w, annotations: {argocd.argoproj.io/hook: Sync}}'): string =>
    `extraObjects: {w: {apiVersion: batch/v1, kind: Job, metadata: ${metadata}, spec: {template: {spec: ${pod}}}}}`
  it.each([
    [extra(`{containers: [{name: a, command: ${LOOP}}]}`, '{name: w}'), 'it is not a hook of Argo CD'],
    [extra(`{containers: [{name: a, command: ${LOOP}}, {name: b}]}`), 'it has not one container'],
    [extra('{containers: [{name: a, image: b}]}'), 'its image defines its effect'],
    [
      extra(`{serviceAccountName: s, containers: [{name: a, env: [], command: ${LOOP}}]}`),
      'it has serviceAccountName, env, which no wait has',
    ],
  ])('%s', (members, why) => expect(imported(members).jobs).toEqual([{ name: 'w', wave: '0', why }]))
})

describe('what people should know', () => {
  it('what renders nothing is lost, with its place', () =>
    expect(imported('namespaces: [a]\nimperative: {jobs: [{name: a, playbook: b}]}').listed).toEqual([
      {
        level: 'loss',
        place: { file: 'values.yaml', line: 5, column: 3 },
        path: 'clusterGroup.imperative',
        why: 'renders nothing here',
        todo: 'Use render.helm with the chart, or leave it to the patterns operator',
      },
    ]))
  it('facts that applications are told, and no file says', () => {
    const apps = 'applications: {a: {name: a, path: b}}'
    expect(imported(apps).listed).toMatchObject([
      {
        level: 'note',
        path: 'global',
        why: expect.stringMatching(/^has no localClusterDomain, .*clusterVersion: /),
      },
      ARGO_NEEDED,
    ])
    expect(imported('namespaces: [a]').listed).toEqual([])
  })
  it('waves that promise less than they seem to', () => {
    const { listed } = imported(
      `subscriptions: {odf: {name: odf, ${wave('5')}}, virt: {name: virt, ${wave('10')}}}\napplications: {a: {name: a, path: b}}`,
    )
    expect(listed.map((l) => [l.level, l.path, l.why]).slice(2)).toEqual([
      [
        'note',
        'clusterGroup.subscriptions.odf.annotations["argocd.argoproj.io/sync-wave"]',
        'wave 5 → 10: subscription odf healthy; nothing waits for objects that it installs (S1)',
      ],
      [
        'note',
        'clusterGroup.applications.a',
        'Application a has no wave, so that it is in wave 0, before subscription odf in wave 5 (S5)',
      ],
    ])
  })
  it('traps of the chart', () => {
    const { traps } = imported(
      'subscriptions: {a: {name: a, disabled: "no", sequenceJob: {resourceType: sc}}}',
    )
    expect(traps.map((t) => t.rule)).toEqual(
      ['G8', 'G1', 'G2'].filter((r) => traps.some((t) => t.rule === r)),
    )
    expect(traps.map((t) => t.rule)).toContain('G1')
  })
})
