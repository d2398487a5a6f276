/** Waits that only a change of a spec or a label ends: refused before they are applied, and named by all commands. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 3 })
})
afterAll(async () => {
  await fleet.end()
})

const run = (args: string, input = '') =>
  sit(args.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig } })

const module = (name: string, spec: object = {}, source: object = inline(name)) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name },
  spec: { source, targets: { clusterSelector: {} }, ...spec },
})
const inline = (name: string, text = '1') => ({
  inline: {
    objects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { text } },
    ],
  },
})
const needs = (...names: string[]) => ({
  dependsOn: names.map((name) => ({ id: name, module: { kind: 'Module', name } })),
})
const documents = (...modules: object[]): string => modules.map((m) => JSON.stringify(m)).join('\n---\n')

const isStored = async (name: string): Promise<boolean> =>
  (await run(`get module ${name} --ignore-not-found -o name`)).out !== ''

/** As kubectl does it: nothing but the server checks. */
async function put(...modules: ReturnType<typeof module>[]): Promise<void> {
  for (const m of modules) {
    const path = `/apis/lockstep.dev/v1alpha1/namespaces/${fleet.namespace}/modules/${m.metadata.name}?fieldManager=kubectl&force=true`
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const done = await kubeFetch(fleet.kubeconfig, 'hub', path, {
      method: 'PATCH',
      headers,
      body: JSON.stringify(m),
    })
    expect(done.ok).toBe(true)
  }
}

describe('apply refuses, and stores nothing', () => {
  const git = (url: string) => ({ git: { url, ref: { branch: 'main' } } })
  const chart = { helm: { repository: 'http://charts.example.com', chart: 'web', version: '1.2.3' } }
  it.each<[string, object[], RegExp]>([
    [
      'a cycle in one file',
      [module('c1', needs('c2')), module('c2', needs('c1'))],
      /Module\/.*\/c1: spec\.dependsOn: c1 → c2 → c1; remove one of these dependencies/,
    ],
    [
      'a cycle of three beside a Module that is good',
      [module('c0'), module('c1', needs('c2')), module('c2', needs('c3')), module('c3', needs('c1'))],
      /spec\.dependsOn: c1 → c2 → c3 → c1; /,
    ],
    [
      'an http:// repository',
      [module('c1', {}, git('http://git.example.com/x.git'))],
      /spec\.source\.git\.url: http:\/\/ is not encrypted; write https:\/\//,
    ],
    [
      'a repository of charts',
      [module('c1', { render: { namespace: 'web', helm: {} } }, chart)],
      /spec\.source\.helm\.repository: http:\/\/ is not encrypted/,
    ],
    [
      'a repository with credentials',
      [module('c1', {}, git('https://me:secret@git.example.com/x.git'))],
      /spec\.source\.git\.url: holds credentials/,
    ],
    [
      'inline manifests over the limit',
      [module('c1', {}, inline('c1', 'x'.repeat(1_200_000)))],
      /spec\.source\.inline: \d+ KiB, the limit is 256 KiB; split the Module/,
    ],
  ])('%s', async (_, modules, says) => {
    for (const flag of ['', ' --dry-run=client', ' --dry-run=server']) {
      const done = await run(`apply -f -${flag}`, documents(...modules))
      expect([done.code, done.out]).toEqual([2, ''])
      expect(done.err).toMatch(says)
    }
    expect([await isStored('c0'), await isStored('c1')]).toEqual([false, false])
  })

  it('a cycle that is closed over the hub, and not the Modules that are apart from one', async () => {
    expect(await run('apply -f -', documents(module('h1', needs('h2'))))).toMatchObject({ code: 0 })
    const closing = documents(module('h2', needs('h1')))
    for (const flag of ['', ' --dry-run=server']) {
      const done = await run(`apply -f -${flag}`, closing)
      expect([done.code, done.out]).toEqual([2, ''])
      expect(done.err).toContain('spec.dependsOn: h2 → h1 → h2; remove one of these dependencies')
    }
    expect(await isStored('h2')).toBe(false)
    // A client dry run does not know h1.
    expect(await run('apply -f - --dry-run=client', closing)).toMatchObject({ code: 0 })
    // The document replaces what the hub has.
    const both = documents(module('h2', needs('h1')), module('h1'))
    expect(await run('apply -f -', both)).toMatchObject({ code: 0 })
  })
})

describe('a cycle that kubectl has written', () => {
  it('is named by why and wait, also of what needs it, and never passes by itself', async () => {
    await put(module('k1', needs('k2')), module('k2', needs('k1')), module('top', needs('k1')))
    for (const name of ['k1', 'k2', 'top']) {
      await eventually(
        async () => (await run(`get module ${name} -o json`)).out.includes('CycleDetected'),
        `${name} is on a cycle`,
      )
      // 4 is a timeout.
      const waited = await run(`wait module/${name} --timeout 8s -q`)
      expect(waited.code).toBe(1)
      expect(waited.err).toMatch(/CycleDetected: spec\.dependsOn: (k1 → k2 → k1|k2 → k1 → k2)/)
      const why = await run(`why ${name}`)
      expect(why.code).toBe(1)
      expect(why.out).toMatch(/spec\.dependsOn: (k1 → k2 → k1|k2 → k1 → k2)/)
      expect(why.out).not.toMatch(/by itself|no action needed/)
    }
    await put(module('k2'))
    expect((await run('wait module/top --timeout 60s -q')).code).toBe(0)
  })
})

describe('a deadlock that kubectl has made', () => {
  it('is named by why, status and wait, with the ways out', async () => {
    const release = (name: string) => ({ release: name })
    await put(module('d1', release('r1')), module('d2', { ...needs('d1'), ...release('r1') }))
    expect((await run('wait module/d2 --timeout 60s -q')).code).toBe(0)
    const path = `/apis/lockstep.dev/v1alpha1/namespaces/${fleet.namespace}/modules/d1`
    expect((await kubeFetch(fleet.kubeconfig, 'hub', path, { method: 'DELETE' })).ok).toBe(true)
    await put(module('d2', { ...needs('d1'), ...release('r2') }))
    const ring = /d2 → d1 → d2: .*DependencyDeleting.*DependentsRemain.* on 3 clusters /
    await eventually(async () => ring.test((await run('get module d2 -o json')).out), 'd2 is in a deadlock')
    // 4 is a timeout.
    for (const [target, text] of [
      ['module/d2', ring],
      ['module/d1 --for delete', /Deadlock: d1 → d2 → d1/],
    ] as const) {
      const waited = await run(`wait ${target} --timeout 8s -q`)
      expect([target, waited.code]).toEqual([target, 1])
      expect(waited.err).toMatch(text)
    }
    for (const unit of ['d2', 'd2@cluster-1', 'd1@cluster-1']) {
      const why = await run(`why ${unit}`)
      expect([unit, why.code]).toEqual([unit, 1])
      expect(why.out).toContain('Deadlock')
      expect(why.out).toContain('remove d1 from spec.dependsOn of d2')
      expect(why.out).not.toMatch(/by itself|no action needed/)
    }
    expect((await run('status d2')).out).toContain('Deadlock')
    await put(module('d2', release('r2')))
    expect((await run('wait module/d2 --timeout 60s -q')).code).toBe(0)
    expect((await run('wait module/d1 --for delete --timeout 60s -q')).code).toBe(0)
  })
})

describe('a Module that selects no cluster', () => {
  const nowhere = (allowEmpty?: boolean) =>
    module('nowhere', {
      targets: {
        clusterSelector: { matchLabels: { env: 'staging' } },
        ...(allowEmpty === undefined ? {} : { allowEmpty }),
      },
    })
  const TEXT = /0 of 3 clusters match env=staging \(labels seen: /

  it('is not ready, and no cluster is named', async () => {
    await put(nowhere())
    // No time ends this state, so the exit code of a timeout in it is 1.
    const early = await run('wait module/nowhere --timeout 5s -q')
    expect([early.code, early.err]).toEqual([1, expect.stringMatching(TEXT)])
    const waited = await run('wait module/nowhere --timeout 13s -q')
    expect(waited.code).toBe(1)
    expect(waited.err).toMatch(TEXT)
    const why = await run('why nowhere')
    expect(why.code).toBe(1)
    expect(why.out).toMatch(TEXT)
    expect(`${why.out}${why.err}`).not.toMatch(/cluster-\d| on /)
    // Cut to the width of a line.
    expect((await run('get module nowhere')).out).toMatch(/ 0 of 3 clusters match env=staging/)
    for (const view of ['status', 'status nowhere', 'rollout status nowhere']) {
      const { out } = await run(view)
      expect(out).toMatch(TEXT)
      expect(out).not.toMatch(/✔ complete|✔ \d+ of \d+ units|idle/)
    }
  })

  it('is ready where that is allowed', async () => {
    await put(nowhere(true))
    expect((await run('wait module/nowhere --timeout 20s -q')).code).toBe(0)
    const why = await run('why nowhere')
    expect([why.code, why.err]).toEqual([0, ''])
    expect(why.out).not.toMatch(/cluster-\d/)
    expect((await run('get module nowhere')).out).toContain('0 clusters selected (allowed)')
    expect((await run('status nowhere')).out).toContain('✔ 0 clusters selected (allowed)')
  })

  it('a Module of one cluster is asked about on that one', async () => {
    const [, last = ''] = (await run('get clusters -o name')).out.trim().split('\n').slice(-2)
    const name = last.split('/').at(-1)!
    await put(module('one', { targets: { clusters: [name] } }))
    expect((await run('wait module/one --timeout 60s -q')).code).toBe(0)
    const why = await run('why one')
    expect([why.code, why.out.includes(` on ${name} is ready`)]).toEqual([0, true])
  })
})
