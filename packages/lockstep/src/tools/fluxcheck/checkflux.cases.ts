/** One fixture a rule, and one for what is nearly the same and right. */
import type { FluxCheckOptions } from './checkflux.ts'

/**
 * A fixture says itself what is to be found: `«W4a error»` stands where the finding is to point. Everything else must not
 * be found.
 */
export interface Fixture {
  readonly what: string
  readonly text: string
  readonly says?: string
  readonly options?: FluxCheckOptions
  readonly file?: string
  readonly more?: Readonly<Record<string, string>>
  readonly before?: string
}

export const unit = (name: string, rest: string, source = 'repo', wait = '  wait: true\n') =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: ns}\nspec:\n  path: ./${name.replace(/[^a-z]/g, '')}\n${wait}  sourceRef: {kind: GitRepository, name: ${source}}\n${rest}`
export const release = (name: string, rest: string) =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}, namespace: ns}\nspec:\n${rest}`
export const CHART =
  '  chart: {spec: {chart: c, version: 1.0.0, sourceRef: {kind: HelmRepository, name: h}}}\n'
export const git = (name: string, rest = '  ref: {commit: "1"}\n') =>
  `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: ${name}, namespace: ns}\nspec:\n${rest}`
export const stream = (...documents: readonly string[]) => documents.join('---\n')
const OBSERVED = 'dep.metadata.generation == dep.status.observedGeneration'

export const fixtures: readonly Fixture[] = [
  {
    what: 'W1a: content of a Kustomization',
    text: stream(
      unit('a', '  patches: [{patch: x}]\n'),
      unit('b', '  dependsOn:\n    - «W1a warning»name: a\n'),
    ),
    says: 'has content in spec.patches',
  },
  {
    what: 'W1a: releases',
    text: stream(
      release('a', `${CHART}  values: {x: 1}\n`),
      release('b', `${CHART}  dependsOn: [«W1a warning»{name: a}]\n`),
    ),
    says: 'has content in spec.values',
  },
  {
    what: 'W2a',
    text: stream(unit('a', '  suspend: «W2a error»true\n'), unit('b', '  dependsOn: [{name: a}]\n')),
    says: 'Kustomization ns/b depends on it',
  },
  {
    what: 'W2b: nothing',
    text: stream(unit('a', ''), unit('b', '  dependsOn:\n  - name: «W2b error»aa\n')),
    says: 'did you mean a?',
  },
  {
    what: 'W2b: another namespace',
    text: stream(unit('a', ''), unit('b', '  dependsOn: [{name: «W2b error»a, namespace: other}]\n')),
    says: 'did you mean the one in ns?',
  },
  {
    what: 'W2b: the other kind',
    text: stream(release('a', CHART), unit('b', '  dependsOn: [{name: «W2b error»a}]\n')),
    says: 'HelmRelease ns/a is a HelmRelease: Flux has no dependencies between the kinds',
  },
  {
    what: 'W2b: a cycle',
    text: stream(unit('a', '  dependsOn: [«W2b error»{name: b}]\n'), unit('b', '  dependsOn: [{name: a}]\n')),
    says: 'a → b → a',
  },
  {
    what: 'W2c',
    text: stream(
      unit('a', ''),
      ...['b', 'c', 'd', 'e'].map((n, i) => unit(n, `  dependsOn: [{name: ${'abcd'[i]}}]\n`)),
      unit('f', '  dependsOn: [{name: a}, «W2c note»{name: e}]\n'),
    ),
    says: 'a chain of 5 dependencies ends here (f → e → d → c → b → a): up to 150 s',
  },
  {
    what: 'W3a: without the generation',
    text: stream(
      unit('a', ''),
      unit('b', "  dependsOn:\n  - name: a\n    readyExpr: «W3a error»dep.spec.path == './a'\n"),
    ),
    says: 'does not compare observedGeneration',
  },
  {
    what: 'W3a: what the documentation of Flux shows',
    text: stream(
      unit('a', ''),
      unit(
        'b',
        `  dependsOn:\n  - name: a\n    readyExpr: «W4a error»«W3a error»«W3a warning»>\n      dep.metadata.labels['app/version'] == self.metadata.labels['app/version'] &&\n      dep.status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True') &&\n      ${OBSERVED}\n`,
      ),
    ),
    says: 'decides on labels or annotations',
  },
  {
    what: 'W3a: no expression',
    text: stream(unit('a', ''), unit('b', '  dependsOn: [{name: a, readyExpr: «W3a error»"dep.("}]\n')),
    says: 'is not a valid expression (1:5:',
  },
  {
    what: 'W3b',
    text: stream(
      unit(
        'a',
        '  postBuild:\n    substituteFrom:\n    - kind: ConfigMap\n      name: «W3b warning»values\n    - {kind: ConfigMap, name: watched}\n    - {kind: ConfigMap, name: hashed-7gh2bk5m4t}\n    - {kind: Secret, name: elsewhere}\n',
      ),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: values, namespace: ns}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: watched, namespace: ns, labels: {reconcile.fluxcd.io/watch: Enabled}}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hashed-7gh2bk5m4t, namespace: ns}\n',
      unit('b', '  dependsOn: [«W1a warning»{name: a}]\n'),
    ),
    says: 'Flux does not watch',
  },
  {
    what: 'W3c: nothing said',
    text: stream(
      unit('a', '', 'repo', '').replace('spec:', '«W3c warning»spec:'),
      unit('b', '  dependsOn: [{name: a}]\n'),
    ),
    says: 'no wait, no healthChecks',
  },
  {
    what: 'W3c: switched off',
    text: stream(
      unit('a', '', 'repo', '  wait: «W3c warning»false\n'),
      unit('b', '  dependsOn: [{name: a}]\n'),
    ),
  },
  {
    what: 'W3c: a release',
    text: stream(
      release('a', `${CHART}  upgrade: {disableWait: «W3c warning»true}\n`),
      release('b', `${CHART}  dependsOn: [«W1a warning»{name: a}]\n`),
    ),
    says: 'upgrade.disableWait',
  },
  {
    what: 'W3c: a script',
    text: `apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n      containers:\n      - command:\n        - sh\n        - -c\n        - «W3c warning»|\n          set -e\n          kubectl -n x wait --for=condition=Ready kustomizations/a --timeout 10s\n      - args: «W3c warning»[kubectl, wait, --for=condition=Ready, helmrelease/x]\n      - args: [kubectl, wait, --for=condition=Ready, pod/ks]\n`,
    says: 'may be of the run before',
  },
  {
    what: 'W4a: two sources',
    text: stream(unit('back', '', 'be'), unit('front', '  dependsOn:\n    - «W4a error»name: back\n', 'fe')),
    says: 'Kustomization ns/front depends on Kustomization ns/back but reads GitRepository fe, Kustomization ns/back reads GitRepository be',
  },
  {
    what: 'W4a: an expression that ends the comparison',
    text: stream(
      unit('a', ''),
      unit('b', `  dependsOn:\n    - name: a\n      readyExpr: «W4a error»${OBSERVED}\n`),
    ),
    says: "ends Flux's own comparison",
  },
  {
    what: 'no W4a where the controllers go on comparing',
    text: stream(unit('a', ''), unit('b', `  dependsOn:\n    - name: a\n      readyExpr: ${OBSERVED}\n`)),
    options: { additiveGate: true },
  },
  ...(
    [
      ['ref: {branch: «W4b warning»main}', 'follows branch main'],
      ['ref: {semver: «W4b warning»">1"}', 'follows semver >1'],
      ['ref: {tag: «W4b warning»v1}', 'follows tag v1'],
      ['ref: {tag: v1, commit: "1"}', undefined],
      ['url: x', 'follows branch master'],
    ] as const
  ).map(([ref, says]) => ({
    what: `W4b: ${ref.replace(/«.*»/, '')}`,
    text: stream(
      git('repo', `  ${ref}\n`).replace('spec:', ref === 'url: x' ? '«W4b warning»spec:' : 'spec:'),
      unit('a', ''),
      unit('b', '  dependsOn: [{name: a}]\n'),
    ),
    ...(says ? { says } : {}),
  })),
  {
    what: 'W4b: charts',
    text: stream(
      release(
        'a',
        '  chart: {spec: {chart: c, version: «W4b warning»"1.x", sourceRef: {kind: HelmRepository, name: h}}}\n',
      ),
      release(
        'b',
        '  chart: {spec: {chart: ./c, reconcileStrategy: «W4b warning»Revision, sourceRef: {kind: GitRepository, name: r}}}\n  dependsOn: [«W1a warning»{name: a}]\n',
      ),
      release('alone', '  chart: {spec: {chart: c, sourceRef: {kind: HelmRepository, name: h}}}\n'),
    ),
    says: 'follows version 1.x of chart c',
  },
  {
    what: 'W4c',
    text: stream(
      git('repo', '  ref: {commit: "1"}\n  «W4c warning»include: [{repository: {name: x}}]\n'),
      unit('a', ''),
      unit('b', '  dependsOn: [{name: a}]\n'),
    ),
    says: 'its revision does not',
  },
  {
    what: 'W5a, W5b: a unit of one Job',
    file: 'x/units.yaml',
    text: stream(
      unit('a', '').replace('path: ', 'path: «W5a note»'),
      unit('b', '  dependsOn: [{name: a}]\n'),
    ),
    more: {
      'x/a/job.yaml':
        'apiVersion: batch/v1\nkind: Job\nmetadata: {name: «W5b warning»check}\nspec: {template: {}}\n',
    },
    says: 'holds only Jobs',
  },
  {
    what: 'no W5b of what changes with its unit, or goes by itself',
    file: 'units.yaml',
    text: stream(unit('a', '  force: true\n'), unit('b', '  dependsOn: [{name: a}]\n')),
    more: {
      'a/job.yaml': `apiVersion: batch/v1\nkind: Job\nmetadata: {name: check}\nspec: {template: {metadata: {annotations: {r: "$\{RELEASE}"}}}}\n`,
      'a/other.yaml':
        'apiVersion: batch/v1\nkind: Job\nmetadata: {name: other}\nspec: {ttlSecondsAfterFinished: 60, template: {}}\n',
      'a/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n',
    },
  },
  {
    what: 'W5b: a release between others',
    text: stream(
      release('a', CHART),
      release('b', `${CHART}  dependsOn: [«W1a warning»{name: a}]\n`).replace(
        '{name: b',
        '{name: «W5b warning»b',
      ),
      release('c', `${CHART}  dependsOn: [«W1a warning»{name: b}]\n`),
    ),
    says: 'is between others',
  },
  {
    what: 'W6b: Kustomizations',
    text: stream(
      unit('a', ''),
      unit('a1', '').replace('name: a1', 'name: «W6b error»a1').replace('./a', './a/'),
    ),
    says: 'own the same: GitRepository repo, a',
  },
  {
    what: 'no W6b of variants',
    text: stream(
      unit('a', '  postBuild: {substitute: {N: "1"}}\n'),
      unit('a1', '  postBuild: {substitute: {N: "2"}}\n'),
      unit('a2', '  namePrefix: x\n'),
    ),
  },
  {
    what: 'W6b: releases',
    text: stream(
      release('a', `  releaseName: x\n${CHART}`),
      release('b', `  releaseName: x\n${CHART}`).replace('{name: b', '{name: «W6b error»b'),
      release('c', `  targetNamespace: x\n${CHART}`),
    ),
    says: 'own the same: release x in ns',
  },
  {
    what: 'W6c',
    text: stream(
      unit('a-12', '  prune: true\n').replace('name: a-12', 'name: «W6c warning»a-12'),
      unit('c-12', '  prune: true\n  nameSuffix: "-12"\n'),
      unit('b', '  dependsOn: [{name: a-12}, «W1a warning»{name: c-12}]\n'),
    ),
    says: 'the unit of the next number owns the same objects',
  },
  {
    what: 'before: W1a of a change on both sides, not of one on one side',
    before: stream(
      unit('a', '  force: false\n'),
      unit('b', '  dependsOn: [{name: a}]\n'),
      unit('c', '  dependsOn: [{name: a}]\n'),
    ),
    text: stream(
      unit('a', '  force: true\n'),
      unit('b', '  force: true\n  dependsOn: [«W1a error»{name: a}]\n'),
      unit('c', '  dependsOn: [{name: a}]\n'),
    ),
    says: 'this change is in Kustomization ns/b and in the spec of Kustomization ns/a',
  },
  {
    what: 'before: W5a',
    before: stream(
      unit('a', '  force: false\n'),
      unit('check', '  dependsOn: [{name: a}]\n'),
      unit('c', '  dependsOn: [{name: check}]\n'),
    ),
    text: stream(
      unit('a', '  force: true\n'),
      unit('check', '  dependsOn: [{name: a}]\n').replace('name: check', 'name: «W5a error»check'),
      unit('c', '  dependsOn: [{name: check}]\n'),
    ),
    says: 'Kustomization ns/check does not change, but Kustomization ns/a does',
  },
  {
    what: 'before: W6a of a unit that prunes',
    before: unit('a', '  prune: true\n'),
    text: unit('a', '  prune: true\n').replace('name: a', 'name: «W6a error»new'),
    says: 'Kustomization ns/a becomes Kustomization ns/new',
  },
  ...['prune: false', 'prune: true\n  suspend: true', 'prune: true\n  deletionPolicy: Orphan'].map((how) => ({
    what: `before: no W6a with ${how.replace('\n ', '')}`,
    before: unit('a', `  ${how}\n`),
    text: unit('a', '  prune: true\n').replace('name: a', 'name: new'),
  })),
  {
    what: 'before: W6a of another release name',
    before: release('a', CHART),
    text: release('a', `${CHART}  targetNamespace: other\n`).replace('name: a', 'name: «W6a error»a'),
    says: 'the release name of HelmRelease ns/a changes from a to other-a',
  },
  {
    what: 'before: W6a of a release under another object',
    before: release('a', `${CHART}  releaseName: x\n`),
    text: release('b', `${CHART}  releaseName: x\n`).replace('name: b', 'name: «W6a error»b'),
    says: 'with the same release',
  },
]
