/** Each rule finds what it is about, where it stands, and nothing else. */
import { describe, expect, it } from 'vitest'
import { files, hub } from '../../decisions/clustergroup/clustergroup.cases.ts'
import { checkClusterGroup } from './checkclustergroup.ts'
import { clusterGroupRuleIds, clusterGroupRules } from './clustergrouprules.ts'

function check(...texts: readonly string[]) {
  const found = checkClusterGroup(files(...texts))
  if (!found.ok) throw new Error(found.error.map((p) => p.text).join('\n'))
  return found.value
}
const found = (members: string, top = ''): string[] =>
  check(hub(members, top)).map((f) => `${f.rule} ${f.path.replace('clusterGroup.', '')}: ${f.message}`)
/** Only rules of one letter: others have cases of their own. */
const of = (letter: string, members: string, top = ''): string[] =>
  found(members, top).filter((line) => line.startsWith(letter))

const wave = (n: string): string => `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`
const JOB = 'sequenceJob: {resourceType: sc, resourceName: fast}'

describe('traps of the chart', () => {
  it.each<[string, string, string[]]>([
    [
      'G1',
      `subscriptions: {odf: {name: odf, disabled: true, ${wave('5')}, ${JOB}}}`,
      [
        'G1 subscriptions.odf.sequenceJob: the subscription is disabled and its Job is not: it waits for a subscription that is not installed',
      ],
    ],
    [
      'G2',
      'subscriptions: {odf: {name: odf, sequenceJob: {resourceType: sc, resourceName: a, syncWave: "5"}}}',
      ['G2 subscriptions.odf.sequenceJob: needs annotations (at least {}) on the subscription'],
    ],
    [
      'G3',
      `subscriptions: {odf: {name: odf, annotations: {}, ${JOB}}}`,
      ['G3 subscriptions.odf.sequenceJob: has no wave, so that of its Job is null'],
    ],
    [
      'G4',
      'namespaces: {a: null}\noperatorgroupExcludes: [a]\noperatorgroupExcludeTargetNS: [a]',
      [
        'G4 operatorgroupExcludes[0]: has no effect, since the namespace is not a text in a list',
        'G4 operatorgroupExcludeTargetNS: has no effect, since no template reads it',
      ],
    ],
    [
      'G5',
      'projects: [a]\nargoProjects: null',
      ['G5 clusterGroup: projects and argoProjects are both there'],
    ],
    [
      'G6',
      'subscriptions: [{name: a, config: {env: []}}]\napplications: [{name: b, overrides: [{name: c, value: d}], syncPolicy: Manual}]',
      [
        'G6 subscriptions[0].config: {"env":[]} is a map',
        'G6 applications[0].overrides: [{"name":"c","value":"d"}] is a list',
        'G6 applications[0].syncPolicy: "Manual" is text',
      ],
    ],
    [
      'G7',
      'subscriptions: {a: {name: a, channel: "5.10"}, b: {name: b, channel: 5.10}}',
      [
        'G7 subscriptions.a.channel: "5.10" becomes 5.1, since the chart writes it without quotes',
        'G7 subscriptions.b.channel: 5.10 becomes 5.1',
      ],
    ],
    [
      'G8',
      'subscriptions: {a: {name: a, disabled: "false"}}',
      ['G8 subscriptions.a.disabled: the text "false" disables, since it is not empty'],
    ],
  ])('%s', (_, members, expected) => expect(of('G', members)).toEqual(expected))

  it('are not there where they are avoided', () => {
    const job = `${wave('5')}, ${JOB}`
    expect(
      of(
        'G',
        `namespaces: [a]
operatorgroupExcludes: [a]
argoProjects: [a]
subscriptions: {odf: {name: odf, channel: stable-4.16, ${job}}, off: {name: off, disabled: true, annotations: {}, sequenceJob: {disabled: true}}}
applications: {b: {name: b, path: c, overrides: [{name: c, value: d}], syncPolicy: Manual}}`,
      ),
    ).toEqual([])
  })
  it('keep nothing else from being found', () =>
    expect(
      of('G', 'projects: [a]\nargoProjects: {}\nsubscriptions: {a: {name: a, disabled: "no"}}').map((l) =>
        l.slice(0, 2),
      ),
    ).toEqual(['G5', 'G8']))
})

describe('values', () => {
  it('V1: that the schema refuses, each once', () =>
    expect(of('V', 'subscription: {}\nnamespaces: 5\nsubscriptions: [{name: 5}]')).toEqual([
      'V1 subscription: unknown key',
      'V1 namespaces: 5 is a number',
      'V1 subscriptions[0].name: 5 is a number',
    ]))
  it('V1: that are missing', () =>
    expect(check('clusterGroup: {name: null}').map((f) => [f.rule, f.path])).toEqual([
      ['V1', 'clusterGroup.name'],
    ]))
  it('V2: that no template can render', () =>
    expect(of('V', 'subscriptions: {a: {name: a, channel: "a: b"}}')).toEqual([
      'V2 subscriptions.a.channel: "a: b" is not a plain value; the chart\'s output would not parse',
    ]))
  it('V3: that nothing reads', () =>
    expect(of('V', 'subscriptions: {a: {name: a, chanel: b}}')).toEqual([
      'V3 subscriptions.a.chanel: nothing reads it',
    ]))
  it('cannot be checked where a file cannot be read', () => {
    const [, second] = files('', 'a: [')
    const made = checkClusterGroup([...files(hub('')), second!])
    expect(made.ok ? [] : made.error.map((p) => p.text)).toEqual([expect.stringContaining('1.yaml:')])
  })
})

it('a finding has its place in the file that says it, a level and a fix', () => {
  const [finding, ...more] = check(
    hub('namespaces: []'),
    'clusterGroup:\n  subscriptions:\n    a:\n      name: a\n      disabled: "no"\n',
  )
  expect(more).toEqual([])
  expect(finding).toEqual({
    rule: 'G8',
    level: 'error',
    place: { file: '1.yaml', line: 5, column: 7 },
    path: 'clusterGroup.subscriptions.a.disabled',
    message: 'the text "no" disables, since it is not empty',
    fix: 'Use a boolean.',
  })
})

it('a later file may take back what an earlier one says', () => {
  const below = hub('subscriptions: {a: {name: a, disabled: "no"}}')
  expect(check(below, 'clusterGroup: {subscriptions: {a: null}}')).toEqual([])
})

it('each rule says what to do', () => {
  for (const id of clusterGroupRuleIds) expect(clusterGroupRules[id].fix, id).toMatch(/^[A-Z].*[^.]$/)
})
