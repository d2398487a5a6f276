/** Sequencing that holds less than it seems to. */
import { describe, expect, it } from 'vitest'
import { files, hub } from '../../decisions/clustergroup/clustergroup.cases.ts'
import { checkClusterGroup } from './checkclustergroup.ts'

/** Findings of one rule, with their levels and without the path of the group. */
function found(rule: string, members: string, top = ''): string[] {
  const made = checkClusterGroup(files(hub(members, top)))
  if (!made.ok) throw new Error(made.error.map((p) => p.text).join('\n'))
  return made.value
    .filter((f) => f.rule === rule)
    .map((f) => `${f.level} ${f.path.replace('clusterGroup.', '')}: ${f.message}`)
}

const WAVE = 'argocd.argoproj.io/sync-wave'
const wave = (n: string): string => `annotations: {${WAVE}: "${n}"}`
const job = (more = ''): string => `sequenceJob: {resourceType: sc, resourceName: fast${more}}`
const subscriptions = (odf: string, rest = ''): string =>
  `subscriptions: {odf: {name: odf-operator, ${odf}}, virt: {name: kubevirt, ${wave('10')}}}${rest}`
const extra = (object: string): string => `\nextraObjects: {x: ${object}}`

describe('S1: a wave with subscriptions that nothing waits for', () => {
  const at = `warning subscriptions.odf.annotations["${WAVE}"]: `
  const open = `${at}wave 5 → 10: subscription odf-operator healthy; nothing waits for objects that it installs`
  it.each<[string, string, string[]]>([
    ['alone', subscriptions(wave('5')), [open]],
    ['with a sequenceJob', subscriptions(`${wave('5')}, ${job()}`), []],
    [
      'with one in a wave of its own before the next',
      subscriptions(`${wave('5')}, ${job(', syncWave: "7"')}`),
      [],
    ],
    ['with one that comes too late', subscriptions(`${wave('5')}, ${job(', syncWave: "10"')}`), [open]],
    ['with one that is disabled', subscriptions(`${wave('5')}, ${job(', disabled: true')}`), [open]],
    [
      'with a Job of extraObjects',
      subscriptions(wave('5'), extra(`{apiVersion: batch/v1, kind: Job, metadata: {name: w, ${wave('6')}}}`)),
      [],
    ],
    [
      'with a custom resource that Argo CD may wait for',
      subscriptions(
        wave('5'),
        extra(`{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: s, ${wave('6')}}}`),
      ),
      [],
    ],
    [
      'with settings that nobody waits for',
      subscriptions(wave('5'), extra(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s, ${wave('6')}}}`)),
      [open],
    ],
    [
      'before applications',
      `subscriptions: {odf: {name: odf, ${wave('5')}}, nfd: {name: nfd, ${wave('5')}}}\napplications: {a: {name: a, path: b, ${wave('20')}}}`,
      [
        `${at.replace('odf', 'nfd')}wave 5 → 20: subscriptions nfd, odf healthy; nothing waits for objects that they install`,
      ],
    ],
    ['that is the last one', `subscriptions: {odf: {name: odf, ${wave('5')}}}`, []],
    [
      'before one that is disabled',
      subscriptions(wave('5')).replace('name: kubevirt', 'name: kubevirt, disabled: true'),
      [],
    ],
  ])('%s', (_, members, expected) => expect(found('S1', members)).toEqual(expected))
})

describe('S2: a sequenceJob at another time than its subscription', () => {
  it.each<[string, string[]]>([
    [job(), []],
    [job(', syncWave: "6"'), []],
    [
      job(', syncWave: "3"'),
      [
        'warning subscriptions.odf.sequenceJob.syncWave: runs in wave 3, before its subscription in wave 5: if it waits for the result of that subscription, both wait forever',
      ],
    ],
    [
      job(', hookType: PreSync'),
      [
        'warning subscriptions.odf.sequenceJob.hookType: runs before its subscription exists (PreSync): if it waits for the result of that subscription, both wait forever',
      ],
    ],
    [
      job(', hookType: PostSync'),
      [
        'warning subscriptions.odf.sequenceJob.hookType: runs after all waves (PostSync), and keeps none of them open',
      ],
    ],
    ['sequenceJob: {hookType: PreSync, command: [oc, label, node, a]}', []],
  ])('%s', (own, expected) => expect(found('S2', subscriptions(`${wave('5')}, ${own}`))).toEqual(expected))
})

describe('S3: a sequenceJob without an object', () => {
  const own = (text: string): string[] => found('S3', subscriptions(`${wave('5')}, sequenceJob: ${text}`))
  it('waits for a list', () =>
    expect(own('{resourceType: sc}')).toEqual([
      'warning subscriptions.odf.sequenceJob: has no resourceName: it waits only until sc can be listed, whether there is one or not',
    ]))
  it('or for nothing that there is', () =>
    expect(own('{resourceName: fast}')).toEqual([
      'error subscriptions.odf.sequenceJob: has no resourceType: oc get fails, and the Job waits forever',
    ]))
  it('may have a command', () => expect(own('{command: [sleep, "5"]}')).toEqual([]))
})

describe('S4: a kind for which Argo CD has no check', () => {
  const apps = `applications: {a: {name: a, path: p, ${wave('5')}}, b: {name: b, path: p, ${wave('10')}}}`
  it('Applications', () =>
    expect(found('S4', apps)).toEqual([
      `warning applications.a.annotations["${WAVE}"]: wave 5 → 10: Argo CD has no health check for Application a, so that wave 10 begins at once`,
    ]))
  it('ClusterExtensions', () =>
    expect(found('S4', subscriptions(`channels: [a], ${wave('5')}`))).toEqual([
      `warning subscriptions.odf.annotations["${WAVE}"]: wave 5 → 10: Argo CD has no health check for ClusterExtension odf-operator, so that wave 10 begins at once`,
    ]))
  it('unless a Job keeps the wave open', () =>
    expect(found('S4', subscriptions(`channels: [a], ${wave('5')}, ${job()}`))).toEqual([]))
  it('unless the values bring one', () => {
    const checks =
      '\nargoCD: {resourceHealthChecks: [{group: argoproj.io, kind: Application, check: "return {}"}]}'
    expect(found('S4', apps + checks)).toEqual([])
  })
  it('and nothing after it', () =>
    expect(found('S4', `applications: {a: {name: a, path: p, ${wave('5')}}}`)).toEqual([]))
})

describe('S5: applications before operators', () => {
  it('without waves of their own', () =>
    expect(
      found(
        'S5',
        `${subscriptions(wave('5'))}\napplications: {a: {name: a, path: p}, b: {name: b, path: p}}`,
      ),
    ).toEqual([
      'warning applications.a: Application a and 1 other have no wave, so that they are in wave 0, before subscription odf-operator in wave 5',
    ]))
  it.each([
    `${subscriptions(wave('5'))}\napplications: {a: {name: a, path: p, ${wave('20')}}}`,
    'subscriptions: {odf: {name: odf}}\napplications: {a: {name: a, path: p}}',
    `${subscriptions(wave('5'))}\napplications: {a: {}, b: null, c: {name: c, disabled: true}}`,
  ])('%s', (members) => expect(found('S5', members)).toEqual([]))
})

describe('S6: a wave that is none', () => {
  it('counts as 0', () =>
    expect(found('S6', subscriptions(`${wave('first')}, ${job()}`))).toEqual([
      `warning subscriptions.odf.annotations["${WAVE}"]: "first" is not a whole number: Argo CD treats it as 0`,
    ]))
  it('also of extra objects and in numbers that are none', () =>
    expect(
      found(
        'S6',
        `namespaces: [{a: {${wave('1.5')}}}]${extra(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, ${wave('x')}}}`)}`,
      ),
    ).toHaveLength(2))
  it('-1, 5 and +5 are', () =>
    expect(found('S6', `${subscriptions(wave('-1'))}\nnamespaces: {a: {${wave('+5')}}}`)).toEqual([]))
})

describe('S7: Jobs without rights', () => {
  const binding = (subject: string): string =>
    extra(
      `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, subjects: [${subject}]}`,
    )
  const waiting = subscriptions(`${wave('5')}, ${job()}`)
  it('run as an account that nobody grants anything', () =>
    expect(found('S7', waiting)).toEqual([
      'warning subscriptions.odf.sequenceJob: Job odf-operator-sequencejob runs as ServiceAccount default of the namespace to which Argo CD deploys, and these files grant it no rights: unless others do, oc get is refused, which looks like "not found" forever',
    ]))
  it.each([
    '{kind: ServiceAccount, name: default, namespace: openshift-operators}',
    '{kind: Group, name: "system:serviceaccounts:openshift-operators"}',
    '{kind: User, name: "system:serviceaccount:openshift-operators:default"}',
  ])('unless something does: %s', (subject) => expect(found('S7', waiting + binding(subject))).toEqual([]))
  it('and not another one', () =>
    expect(found('S7', waiting + binding('{kind: ServiceAccount, name: other}'))).toHaveLength(1))
  it('nobody can tell what values of vp-rbac grant', () =>
    expect(found('S7', waiting, 'vp-rbac: {roles: {a: {}}}\n')).toEqual([]))
  it('there are none', () => expect(found('S7', subscriptions(wave('5')))).toEqual([]))
})

describe('S8: custom resources before their API', () => {
  const cluster = (more = ''): string =>
    `{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: s${more}}}`
  const skip =
    ', annotations: {argocd.argoproj.io/sync-options: "Prune=false,SkipDryRunOnMissingResource=true"}'
  it('fail in the dry run', () =>
    expect(found('S8', extra(cluster()))).toEqual([
      'warning extraObjects.x.metadata.annotations: StorageCluster of ocs.openshift.io needs a CustomResourceDefinition that these files do not contain: until an operator creates it, the dry run before the first wave fails, and nothing is synced',
    ]))
  it('are skipped there where they say so', () => expect(found('S8', extra(cluster(skip)))).toEqual([]))
  it('are known where the group brings the definition', () => {
    const crd =
      '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {group: ocs.openshift.io, names: {kind: StorageCluster}}}'
    expect(found('S8', `extraObjects: {x: ${cluster()}, crd: ${crd}}`)).toEqual([])
  })
  it.each(['v1', 'batch/v1', 'storage.k8s.io/v1', 'config.openshift.io/v1', 'operators.coreos.com/v1'])(
    '%s is there',
    (apiVersion) =>
      expect(found('S8', extra(`{apiVersion: ${apiVersion}, kind: A, metadata: {name: a}}`))).toEqual([]),
  )
})
