/** What `rollout`, `suspend`, `resume`, `pin` and `unpin` do to one cluster, and what they refuse: by their command lines, against a fleet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (line: string, input = '') =>
  sit(line.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig }, cwd: fleet.folder })

const json = async (line: string) => JSON.parse((await run(`${line} -o json`)).out)

const twice = (a: string, more = ''): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata:
  name: twice
spec:
  release: "${a}"
  source: {inline: {objects: [
    {apiVersion: v1, kind: ConfigMap, metadata: {name: t, namespace: default}, data: {a: "${a}"}}]}}
  targets: {clusterSelector: {}}
  rollout:
    strategy: Replace
${more}`

interface Revision {
  readonly revision: string
  readonly release: string
  readonly outcome?: string
}
const history = async (): Promise<Revision[]> => (await json('rollout history twice')).revisions
const hashOf = (r: Revision): string => r.revision.replace(/^v1:/, '').slice(0, 10)

/** Releases on the two clusters. */
async function releases(): Promise<(string | undefined)[]> {
  const known = await history()
  const on = async (cluster: string): Promise<string | undefined> => {
    const { spec, status } = await json(`get inventory m.twice.${cluster}`)
    const at = status.state === 'Ready' ? spec.admitted?.revision : undefined
    return known.find((r) => r.revision === at)?.release
  }
  return Promise.all([on('cluster-1'), on('cluster-2')])
}
const reaches = (first: string, second: string) =>
  eventually(
    async () => JSON.stringify(await releases()) === JSON.stringify([first, second]),
    `${first} on cluster-1 and ${second} on cluster-2`,
  )

async function publish(release: string): Promise<void> {
  expect(await run('apply -f -', twice(release))).toMatchObject({ code: 0, err: '' })
}

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2 })
  for (const release of ['1', '2']) {
    await publish(release)
    await eventually(
      async () => (await history()).some((r) => r.release === release && r.outcome === 'Complete'),
      `release ${release} is complete`,
    )
  }
})
afterAll(async () => {
  await fleet.end()
})

describe('one cluster', () => {
  it('undo pins it at the revision before; the others stay, and the module is not touched', async () => {
    const { spec } = await json('get module twice')
    const [one] = await history()
    const done = await run('rollout undo twice --cluster cluster-1 --reason slow')
    expect([done.code, done.err]).toEqual([0, ''])
    expect(done.out.replace(/\s+/g, ' ')).toBe(
      `hold.lockstep.dev/twice-pinned-cluster-1: twice on cluster-1 is pinned at ${hashOf(one!)}; end it with: lockstep unpin twice@cluster-1 `,
    )
    expect((await json('get hold twice-pinned-cluster-1')).spec).toMatchObject({
      action: 'Pin',
      clusters: ['cluster-1'],
      revision: one!.revision,
      reason: 'slow',
      targetRef: { kind: 'Module', name: 'twice' },
    })
    await reaches('1', '2')
    expect((await json('get module twice')).spec).toEqual(spec)
    expect((await run('unpin twice@cluster-1')).out).toContain('1 Hold deleted')
    await reaches('2', '2')
  })

  it('as MODULE@CLUSTER, to a revision, with the object as JSON', async () => {
    const made = await json('rollout undo twice@cluster-2 --to-revision 1')
    expect(made).toMatchObject({ kind: 'Hold', spec: { action: 'Pin', clusters: ['cluster-2'] } })
    await reaches('2', '1')
    await run('unpin twice@cluster-2')
    await reaches('2', '2')
  })

  it('pause applies to that one only, and resume ends it', async () => {
    const paused = await run('rollout pause twice --cluster cluster-1')
    expect(flatText(paused)).toBe(
      'hold.lockstep.dev/twice-paused-cluster-1: twice is paused on cluster-1: no new deployment starts; running ones finish, and drift is reverted; end it with: lockstep rollout resume twice@cluster-1',
    )
    await publish('3')
    await reaches('2', '3')
    const back = await run('rollout undo twice --cluster cluster-1')
    expect(back.code).toBe(1)
    expect(flatText(back)).toMatch(
      /twice on cluster-1 is paused by Hold twice-paused-cluster-1 \(lockstep rollout pause\).*hint: end it with: lockstep resume twice@cluster-1/,
    )
    expect(flatText(await run('rollout resume twice@cluster-2'))).toBe(
      'twice on cluster-2 is not paused; nothing was changed',
    )
    expect(await releases()).toEqual(['2', '3'])
    expect((await run('rollout resume twice@cluster-1')).out).toBe(
      'twice on cluster-1 resumes: 1 Hold deleted\n',
    )
    await reaches('3', '3')
  })

  it.each([
    [
      'rollout status twice --cluster cluster-1',
      /--cluster has no effect on rollout status: use it with pause, resume, retry and undo[\s\S]*lockstep why twice@cluster-1/,
    ],
    ['rollout history twice@cluster-1', /--cluster has no effect on rollout history/],
    ['rollout approve twice --stage x --cluster cluster-1', /--cluster has no effect on rollout approve/],
    ['rollout undo twice --until 8h', /--until has no effect on rollout undo: use it with pause/],
    ['pin twice --revision 1', /names no cluster[\s\S]*lockstep rollout undo twice/],
    ['pin twice@cluster-1', /requires --revision[\s\S]*lockstep rollout history twice/],
    ['unpin twice', /names no cluster[\s\S]*lockstep unpin twice@CLUSTER/],
    ['suspend twice@cluster-9', /no cluster "cluster-9"[\s\S]*lockstep get clusters/],
    ['suspend twice --until soon', /--until soon: must be a duration/],
    ['rollout pause twice --now', /unknown option "--now"\s+hint: renamed: lockstep suspend WHAT/],
    [
      'diff twice --admitted',
      /unknown option "--admitted"\s+hint: renamed: lockstep diff MODULE\[@CLUSTER\] --drift/,
    ],
    ['rollout pause twice --cluster cluster-9', /no cluster "cluster-9"[\s\S]*lockstep get clusters/],
    ['rollout undo twice --cluster cluster-9', /no cluster "cluster-9"[\s\S]*did you mean cluster-/],
  ])('%s: 2, and what to give', async (line, says) => {
    const ran = await run(line)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(says)
  })
})

const flatText = ({ out, err }: { readonly out: string; readonly err: string }): string =>
  `${out}${err}`.replace(/\s+/g, ' ').trim()
const flat = async (line: string): Promise<[number, string]> => {
  const ran = await run(line)
  return [ran.code, flatText(ran)]
}
/** Name, action and clusters of all Holds. */
const holds = async (): Promise<unknown> =>
  (await json('get holds')).items.map(
    (h: { metadata: { name: string }; spec: { action: string; clusters?: string[] } }) => [
      h.metadata.name,
      h.spec.action,
      h.spec.clusters,
    ],
  )

describe('the Holds that each command creates and deletes', () => {
  it('suspend and resume', async () => {
    expect(await flat('suspend twice --reason incident')).toEqual([
      0,
      'hold.lockstep.dev/twice-suspended: twice is suspended on all 2 clusters: nothing is written, and drift is not reverted; end it with: lockstep resume twice',
    ])
    expect(await holds()).toEqual([['twice-suspended', 'Suspend', undefined]])
    await eventually(
      async () => (await run('status twice')).out.includes('suspended by Hold twice-suspended'),
      'the Module reports the suspend',
    )
    expect(await flat('resume twice')).toEqual([0, 'twice resumes: 1 Hold deleted'])
    expect(await holds()).toEqual([])
    expect(await flat('resume twice')).toEqual([0, 'twice is not suspended or paused; nothing was changed'])
  })

  it('rollout pause and rollout resume, which ends pauses only', async () => {
    await run('rollout pause twice')
    await run('suspend twice@cluster-2 --until 8h')
    expect(await holds()).toEqual([
      ['twice-paused', 'Pause', undefined],
      ['twice-suspended-cluster-2', 'Suspend', ['cluster-2']],
    ])
    await eventually(
      async () => (await run('status twice')).out.includes('paused by Hold twice-paused'),
      'the Module reports the pause',
    )
    expect(await flat('rollout resume twice')).toEqual([
      0,
      'twice resumes: 1 Hold deleted; still suspended by Hold twice-suspended-cluster-2; end it with: lockstep resume twice',
    ])
    expect(await flat('rollout resume twice')).toEqual([
      1,
      'twice is suspended by Hold twice-suspended-cluster-2; end it with: lockstep resume twice',
    ])
    await run('rollout pause twice@cluster-1')
    expect(await flat('resume twice')).toEqual([0, 'twice resumes: 2 Holds deleted'])
    expect(await holds()).toEqual([])
  })

  it('pin and unpin; resume keeps a pin', async () => {
    const made = await flat('pin twice@cluster-2 twice@cluster-1 --revision 3 --reason audit')
    expect(made).toEqual([
      0,
      expect.stringMatching(
        /^hold\.lockstep\.dev\/twice-pinned-\w{10}: twice on cluster-1 and cluster-2 is pinned at \w{10}; end it with: lockstep unpin twice@cluster-1 twice@cluster-2$/,
      ),
    ])
    const [[name]] = (await holds()) as [[string]]
    expect(await flat('resume twice@cluster-1')).toEqual([
      1,
      `twice on cluster-1 is pinned at 3 by Hold ${name}; end it with: lockstep unpin twice@cluster-1`,
    ])
    expect(await flat('resume twice')).toEqual([1, expect.stringContaining('is pinned at 3 by Hold')])
    expect(await flat('unpin twice@cluster-1')).toEqual([
      0,
      `twice on cluster-1 is unpinned: Hold ${name} stays on cluster-2`,
    ])
    expect(await holds()).toEqual([[name, 'Pin', ['cluster-2']]])
    expect(await flat('unpin twice@cluster-1 twice@cluster-2')).toEqual([
      0,
      'twice on cluster-1 is not pinned; nothing was changed twice on cluster-2 is unpinned: 1 Hold deleted',
    ])
    expect(await holds()).toEqual([])
  })
})

describe('resume', () => {
  const both = `apiVersion: lockstep.dev/v1alpha1
kind: Hold
metadata: {name: both}
spec: {targetRef: {kind: Module, name: twice}, clusters: [cluster-1, cluster-2], reason: incident}
`

  it('of one cluster keeps a Hold on the others', async () => {
    expect(await run('apply -f -', both)).toMatchObject({ code: 0, err: '' })
    expect(await holds()).toEqual([['both', 'Suspend', ['cluster-1', 'cluster-2']]])
    expect(await flat('resume twice@cluster-1')).toEqual([
      0,
      'twice on cluster-1 resumes: Hold both stays on cluster-2',
    ])
    expect(await flat('resume twice@cluster-1')).toEqual([
      0,
      'twice on cluster-1 is not suspended or paused; nothing was changed',
    ])
    expect(await flat('resume twice@cluster-2')).toEqual([0, 'twice on cluster-2 resumes: 1 Hold deleted'])
    expect(await holds()).toEqual([])
  })

  it('of one cluster cannot end a Hold on all of them: which, and what to do', async () => {
    await run('rollout pause twice --reason incident')
    const still =
      'twice on cluster-1 stays paused: Hold twice-paused applies to all clusters (incident); nothing was changed.'
    const keep =
      'on all clusters. To keep cluster-2 paused: lockstep rollout pause twice@cluster-2, then lockstep delete hold twice-paused'
    expect(await flat('resume twice@cluster-1')).toEqual([
      1,
      `${still} lockstep resume twice ends it ${keep}`,
    ])
    expect(await flat('rollout resume twice@cluster-1')).toEqual([
      1,
      `${still} lockstep rollout resume twice ends it ${keep}`,
    ])
    expect(await holds()).toEqual([['twice-paused', 'Pause', undefined]])
    expect(await flat('resume twice')).toEqual([0, 'twice resumes: 1 Hold deleted'])
  })

  it('of an unknown cluster is refused', async () => {
    expect(await flat('resume twice@cluster-9')).toEqual([
      2,
      expect.stringContaining('no cluster "cluster-9"'),
    ])
  })
})

describe('a revision that the history has not', () => {
  const NONE = '0123456789'
  const has = async (): Promise<string> => (await history()).map(hashOf).join('|')

  it.each([
    `pin twice@cluster-1 --revision ${NONE} --reason x`,
    `rollout undo twice --to-revision ${NONE}`,
    `rollout undo twice --cluster cluster-1 --to-revision ${NONE}`,
  ])('%s: refused, and says which there are', async (line) => {
    const ran = await run(line)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(
      new RegExp(`no revision "${NONE}"[\\s\\S]*revisions of twice: .*(${await has()})`),
    )
    expect((await json('get holds')).items).toEqual([])
  })

  const hold = (revision: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Hold
metadata: {name: pin}
spec:
  targetRef: {kind: Module, name: twice}
  clusters: [cluster-1]
  action: Pin
  revision: ${revision}
  reason: audit
`
  const undo = (from: string): string => `    undo:\n      from: ${from}\n      to: "${NONE}"\n`

  it.each(['apply -f -', 'apply -f - --dry-run=server', 'plan -f -'])(
    '%s: at its place in the file',
    async (line) => {
      const { currentRevision } = (await json('get module twice')).status
      const pin = await run(line, `${twice('3')}---\n${hold(`"${NONE}"`)}`)
      expect([pin.code, pin.out]).toEqual([2, ''])
      expect(pin.err.replace(/\s+/g, ' ')).toMatch(
        new RegExp(
          `standard input:20:13 Hold/${fleet.namespace}/pin: spec\\.revision: the history of twice has no revision ${NONE}; it has (${await has()}), .* Nothing was changed`,
        ),
      )
      const back = await run(line, twice('3', undo(currentRevision)))
      expect([back.code, back.out]).toEqual([2, ''])
      expect(back.err.replace(/\s+/g, ' ')).toMatch(
        new RegExp(
          `standard input:14:11 Module/${fleet.namespace}/twice: spec\\.rollout\\.undo\\.to: the history of twice has no revision ${NONE}; it has `,
        ),
      )
    },
  )

  it('what is over, and what the hub was told before, is not refused', async () => {
    expect((await run('apply -f - --dry-run=server', twice('3', undo('v1:9999999999')))).code).toBe(0)
    // By a client that asks nobody: the history may have had it then.
    const done = await kubeFetch(
      fleet.kubeconfig,
      'hub',
      `/apis/lockstep.dev/v1alpha1/namespaces/${fleet.namespace}/holds/pin?fieldManager=somebody`,
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: hold(`"${NONE}"`),
      },
    )
    expect(done.status).toBe(201)
    await eventually(
      async () =>
        JSON.stringify((await json('get module twice')).status.blockers ?? '').includes(
          'PinnedRevisionUnknown',
        ),
      'the controller says it, too',
    )
    expect(await run('apply -f -', hold(`"${NONE}"`))).toMatchObject({ code: 0, err: '' })
    await run('unpin twice@cluster-1')
  })
})

describe('rollout retry', () => {
  it('what failed is tried again, also where it was tolerated; of one cluster, only there', async () => {
    const broken = twice('1', '    maxFailed: "100%"\n')
      .replace('name: twice', 'name: broken')
      .replace('name: t,', 'name: broken,')
      .replace('{a: "1"}', '{a: "1"}, immutable: "yes"')
    expect((await run('apply -f -', broken)).code).toBe(0)
    const failed = async (): Promise<string[]> =>
      ((await json('get module broken')).status?.rollout?.failed ?? []).map(
        (f: { cluster: string }) => f.cluster,
      )
    await eventually(async () => (await failed()).length === 2, 'it has failed on both clusters')
    expect((await json('get module broken')).status.rollout.haltedAt).toBeUndefined()
    const one = await run('rollout retry broken@cluster-2')
    expect([one.code, one.out]).toEqual([
      0,
      'module.lockstep.dev/broken: retrying on 1 cluster (cluster-2)\n',
    ])
    expect((await json('get module broken')).metadata.annotations['lockstep.dev/retry']).toMatch(
      / cluster-2$/,
    )
    expect((await run('rollout retry broken')).out.replace(/\s+/g, ' ')).toContain(
      'retrying on 2 clusters (cluster-1, cluster-2)',
    )
  })
})
