/** What `rollout` and `hold` do to one cluster, and what they refuse: by their command lines, against a fleet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
      `hold.lockstep.dev/twice-hold-cluster-1: on cluster-1 it goes to ${hashOf(one!)}, and stays there, whatever is published. lockstep release twice --cluster cluster-1 ends it `,
    )
    expect((await json('get hold twice-hold-cluster-1')).spec).toMatchObject({
      action: 'Pin',
      clusters: ['cluster-1'],
      revision: one!.revision,
      reason: 'slow',
      targetRef: { kind: 'Module', name: 'twice' },
    })
    await reaches('1', '2')
    expect((await json('get module twice')).spec).toEqual(spec)
    expect((await run('release twice --cluster cluster-1')).out).toContain('1 Hold deleted')
    await reaches('2', '2')
  })

  it('as MODULE@CLUSTER, to a revision, with the object as JSON', async () => {
    const made = await json('rollout undo twice@cluster-2 --to-revision 1')
    expect(made).toMatchObject({ kind: 'Hold', spec: { action: 'Pin', clusters: ['cluster-2'] } })
    await reaches('2', '1')
    await run('release twice')
    await reaches('2', '2')
  })

  it('pause holds that one only; resume takes exactly that back', async () => {
    const paused = await run('rollout pause twice --cluster cluster-1')
    expect(paused.out.replace(/\s+/g, ' ')).toContain(
      'hold.lockstep.dev/twice-paused-cluster-1: nothing new starts on cluster-1; what is under way there finishes, and repairs go on. lockstep rollout resume twice --cluster cluster-1 ends it',
    )
    await publish('3')
    await reaches('2', '3')
    const back = await run('rollout undo twice --cluster cluster-1')
    expect(back.code).toBe(1)
    expect(back.err.replace(/\s+/g, ' ')).toMatch(
      /Hold twice-paused-cluster-1 keeps it on cluster-1 as it is \(lockstep rollout pause\).*hint: lockstep release twice --cluster cluster-1 ends it/,
    )
    const all = await run('rollout resume twice')
    expect([all.code, all.out.replace(/\s+/g, ' ')]).toEqual([
      0,
      'twice was not paused; nothing was changed. It is paused on cluster-1: lockstep rollout resume twice --cluster cluster-1 ',
    ])
    expect(await releases()).toEqual(['2', '3'])
    expect((await run('rollout resume twice@cluster-1')).out).toBe('twice goes on on cluster-1\n')
    await reaches('3', '3')
    expect((await run('rollout resume twice@cluster-1')).out).toContain('was not paused on cluster-1')
  })

  it.each([
    [
      'rollout status twice --cluster cluster-1',
      /--cluster says nothing to rollout status: it is for pause, resume, retry and undo[\s\S]*lockstep why twice@cluster-1/,
    ],
    ['rollout history twice@cluster-1', /--cluster says nothing to rollout history/],
    ['rollout approve twice --stage x --cluster cluster-1', /--cluster says nothing to rollout approve/],
    ['rollout undo twice --now', /--now says nothing to rollout undo: it is for pause/],
    ['rollout pause twice --cluster cluster-9', /no cluster "cluster-9"[\s\S]*lockstep get clusters/],
    ['rollout undo twice --cluster cluster-9', /no cluster "cluster-9"[\s\S]*Did you mean cluster-/],
  ])('%s: 2, and what to give', async (line, says) => {
    const ran = await run(line)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(says)
  })
})

describe('what a pause and its end say', () => {
  it('on how many clusters, and whether repairs go on', async () => {
    const flat = async (line: string): Promise<string> => (await run(line)).out.replace(/\s+/g, ' ')
    expect(await flat('rollout pause twice')).toContain(
      'nothing new starts on all its 2 clusters; what is under way there finishes, and repairs go on.',
    )
    expect(await flat('rollout pause twice --now')).toContain(
      'nothing is written any more on all its 2 clusters, and nothing is repaired there.',
    )
    await eventually(
      async () =>
        (await run('status twice')).out.includes(
          'Hold twice-paused: nothing starts or is repaired until it is released',
        ),
      'the module says it, too',
    )
    await run('rollout resume twice')
  })
})

describe('release', () => {
  const flat = async (line: string): Promise<[number, string]> => {
    const ran = await run(line)
    return [ran.code, `${ran.out}${ran.err}`.replace(/\s+/g, ' ').trim()]
  }
  const clusters = async (): Promise<unknown> =>
    (await json('get holds')).items.map((h: { spec: { clusters?: string[] } }) => h.spec.clusters)

  it('of one cluster leaves a Hold on the others', async () => {
    await run('hold twice --cluster cluster-1 --cluster cluster-2')
    expect((await json('get holds')).items[0].spec.reason).toBe('lockstep hold')
    expect(await flat('release twice --cluster cluster-1')).toEqual([
      0,
      expect.stringMatching(/^twice goes on on cluster-1: Hold twice-hold-\w+ stays on cluster-2$/),
    ])
    expect(await clusters()).toEqual([['cluster-2']])
    expect(await flat('release twice --cluster cluster-1')).toEqual([
      0,
      'twice is not held on cluster-1; nothing was changed',
    ])
    expect(await flat('release twice --cluster cluster-2')).toEqual([
      0,
      'twice goes on on cluster-2: 1 Hold deleted',
    ])
    expect(await clusters()).toEqual([])
  })

  it('of one cluster cannot take it off a Hold on everything: which, and what to do', async () => {
    await run('hold twice --starts --reason incident')
    expect(await flat('release twice --cluster cluster-1')).toEqual([
      1,
      'twice stays held on cluster-1: Hold twice-hold is on every cluster (incident); nothing was changed. lockstep release twice ends it everywhere. To keep the others: lockstep hold twice --cluster cluster-2 --starts, then lockstep delete hold twice-hold',
    ])
    expect(await clusters()).toEqual([undefined])
    expect(await flat('release twice')).toEqual([0, 'twice goes on: 1 Hold deleted'])
  })

  it('of a cluster that nobody knows is refused', async () => {
    const [code, said] = await flat('release twice --cluster cluster-9')
    expect([code, said]).toEqual([2, expect.stringContaining('no cluster "cluster-9"')])
  })
})

describe('a revision that the history has not', () => {
  const NONE = '0123456789'
  const has = async (): Promise<string> => (await history()).map(hashOf).join('|')

  it.each([
    `hold twice --cluster cluster-1 --revision ${NONE} --reason x`,
    `rollout undo twice --to-revision ${NONE}`,
    `rollout undo twice --cluster cluster-1 --to-revision ${NONE}`,
  ])('%s: refused, and says which there are', async (line) => {
    const ran = await run(line)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(new RegExp(`no revision "${NONE}"[\\s\\S]*twice has: (${await has()})`))
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
    const done = await fetch(
      `${fleet.urlOf('hub')}/apis/lockstep.dev/v1alpha1/namespaces/${fleet.namespace}/holds/pin?fieldManager=somebody`,
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: hold(`"${NONE}"`),
      },
    )
    expect(done.status).toBe(201)
    await eventually(
      async () =>
        JSON.stringify((await json('get module twice')).status.blockers ?? '').includes('PinUnknown'),
      'the controller says it, too',
    )
    expect(await run('apply -f -', hold(`"${NONE}"`))).toMatchObject({ code: 0, err: '' })
    await run('release twice')
  })
})

describe('rollout retry', () => {
  it('what failed is tried again, also where it was tolerated; of one cluster, only there', async () => {
    const broken = twice('1', '    maxFailed: "100%"\n')
      .replace('name: twice', 'name: broken')
      .replace('name: t,', 'name: broken,')
      .replace('{a: "1"}', '{a: 1}')
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
      'module.lockstep.dev/broken: what failed is tried again on 1 cluster (cluster-2)\n',
    ])
    expect((await json('get module broken')).metadata.annotations['lockstep.dev/retry']).toMatch(
      / cluster-2$/,
    )
    expect((await run('rollout retry broken')).out.replace(/\s+/g, ' ')).toContain(
      'what failed is tried again on 2 clusters (cluster-1, cluster-2)',
    )
  })
})
