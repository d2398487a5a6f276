/** Objects that are kept, confirmed or refused when they are to go. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { spawn } from '../simulation/process.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { edge, KEY, listed, liveOf, marked, publish, ready, reasons, released, said, USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const OPTIONS = 'argocd.argoproj.io/sync-options'

/** Delivered, with one more object that stays in the bundle. */
async function delivered(name: string, texts: readonly string[], more: object = {}): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await publish(story, [configManifest('stays', '1'), ...texts], more)
  await ready(story)
  return story
}

const withoutThem = (story: Story, more: object = {}): Promise<void> =>
  publish(story, [configManifest('stays', '1')], more)

const isGone = (story: Story): Promise<boolean> => story.until(() => story.inventories.length === 0)

describe('an object that is to be kept', () => {
  it.each([
    ['lockstep.dev/prune', 'Disabled', 'annotations'],
    [OPTIONS, 'Prune=false', 'annotations'],
    ['helm.sh/resource-policy', 'keep', 'annotations'],
    ['kapp.k14s.io/delete-strategy', 'orphan', 'annotations'],
    ['kustomize.toolkit.fluxcd.io/prune', 'disabled', 'annotations'],
    ['kustomize.toolkit.fluxcd.io/prune', 'disabled', 'labels'],
    ['client.lifecycle.config.k8s.io/deletion', 'detach', 'annotations'],
    ['cli-utils.sigs.k8s.io/on-remove', 'keep', 'annotations'],
  ])('%s: %s (%s): stays without our marks, and is told of', async (key, word, where) => {
    const story = await delivered(`keep ${key}`, [
      said('x', '1', key, word, where),
      configManifest('goes', '1'),
    ])
    await withoutThem(story)
    await ready(story)
    await story.pass(2)
    expect([liveOf(story)?.data, marked(liveOf(story)), liveOf(story, 'goes')]).toEqual([
      { value: '1' },
      false,
      undefined,
    ])
    expect(listed(story)).toEqual(['stays'])
    expect(released(story)).toEqual(['ConfigMap default/x: kept on edge, no longer managed'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('also if somebody has taken the annotation off the cluster, or has put it on there', async () => {
    const story = await delivered('copies', [
      said('x', '1', OPTIONS, 'Prune=false'),
      configManifest('w', '1'),
    ])
    story.manager.stop()
    const put = (name: string, value: string | null) =>
      story.during(
        edge(story).patch(
          configMapKind,
          { ...KEY, name },
          { metadata: { annotations: { [OPTIONS]: value } } },
          USER,
        ),
      )
    must(await put('x', null))
    must(await put('w', 'Prune=false'))
    story.manager = story.fleet.startController()
    await withoutThem(story, { apply: { drift: 'Ignore' } })
    await ready(story)
    expect([marked(liveOf(story)), liveOf(story)?.data]).toEqual([false, { value: '1' }])
    expect([marked(liveOf(story, 'w')), liveOf(story, 'w')?.data]).toEqual([false, { value: '1' }])
  })

  it('and is written down so, with an annotation that came later too', async () => {
    const story = await delivered('later', [configManifest('x', '1')])
    await publish(story, [configManifest('stays', '1'), said('x', '1', OPTIONS, 'Prune=false')])
    await ready(story)
    const entry = () => story.inventory('m', 'edge')?.spec.objects?.find((o) => o.name === 'x')
    expect(await story.until(() => entry()?.keep?.join() === 'Prune', 20)).toBe(true)
    await publish(story, [configManifest('stays', '1'), configManifest('x', '1')])
    await ready(story)
    expect(await story.until(() => entry()?.keep === undefined, 20)).toBe(true)
    await withoutThem(story)
    await ready(story)
    expect(liveOf(story)).toBeUndefined()
  })

  it('of a tool that does not count is deleted like any other', async () => {
    const more = { apply: { dialects: ['Helm'] } }
    const story = await delivered('dialects', [said('x', '1', OPTIONS, 'Prune=false')], more)
    await withoutThem(story, more)
    await ready(story)
    expect(liveOf(story)).toBeUndefined()
  })

  it('keeps the Namespace it is in, which would take it along', async () => {
    const inside = (text: string) => text.replace('namespace: default', 'namespace: shop')
    const story = await delivered('around', [
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
      inside(said('x', '1', 'lockstep.dev/prune', 'Disabled')),
      inside(configManifest('goes', '1')),
    ])
    await withoutThem(story)
    await ready(story)
    await story.pass(5)
    expect(story.live('edge', 'configmaps', 'x', 'shop')?.data).toEqual({ value: '1' })
    expect(story.live('edge', 'configmaps', 'goes', 'shop')).toBeUndefined()
    expect(marked(story.live('edge', 'namespaces', 'shop', ''))).toBe(false)
    expect(released(story)).toEqual(['Namespace shop, ConfigMap shop/x: kept on edge, no longer managed'])
  })

  it.each([
    ['Delete=false', true],
    ['Prune=false', false],
  ])('%s when its unit leaves: kept is %s', async (option, kept) => {
    const story = await delivered(`unit ${option}`, [said('x', '1', OPTIONS, option)])
    await story.deleteModule('m')
    expect(await isGone(story)).toBe(true)
    expect([liveOf(story) !== undefined, marked(liveOf(story)), liveOf(story, 'stays')]).toEqual([
      kept,
      false,
      undefined,
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('whoever lets go of it may die at any write: it is neither deleted nor listed in the end', async () => {
    let deaths = 0
    for (const after of [false, true]) {
      for (let write = 1; ; write++) {
        const story = await delivered(`crash ${write} ${after}`, [
          'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
          said('x', '1', 'lockstep.dev/prune', 'Disabled').replace('namespace: default', 'namespace: shop'),
        ])
        story.manager.stop()
        const start = (what: string, crash?: { write: number; after: boolean }) => {
          const options = { delayMs: 1, lossRate: 0, dropRate: 0, ...(crash ? { crash } : {}) }
          const process = spawn(story.fleet.env, what, options)
          const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
          story.manager = startManager(
            process.env,
            createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
          )
          return process
        }
        const first = start('first', { write, after })
        await withoutThem(story)
        const hasDied = await story.until(() => !first.alive, 30)
        if (!hasDied) break
        deaths++
        start('second')
        await ready(story)
        expect(await story.until(() => listed(story).join() === 'stays', 30)).toBe(true)
        const live = story.live('edge', 'configmaps', 'x', 'shop')
        expect([live?.data, marked(live)], `${write} ${after} ${story.writes('edge').join('; ')}`).toEqual([
          { value: '1' },
          false,
        ])
        expect(story.fleet.oracles.violations).toEqual([])
      }
    }
    expect(deaths).toBeGreaterThan(10)
  }, 120_000)
})

describe('deletionPolicy Orphan', () => {
  it('all stay without our marks, whatever their annotations say; what was not ours is not touched', async () => {
    const orphan = { apply: { deletionPolicy: 'Orphan' } }
    const story = await Story.begin('orphan', ['edge'])
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...KEY, name: 'theirs' } }
    must(await story.during(edge(story).create(configMapKind, theirs, USER)))
    const texts = [
      said('x', '1', OPTIONS, 'Delete=confirm'),
      said('w', '1', 'lockstep.dev/prune', 'Disabled'),
      said('theirs', '1', 'lockstep.dev/apply', 'IfNotPresent'),
    ]
    await publish(story, texts, orphan)
    await ready(story)
    const { resourceVersion } = liveOf(story, 'theirs')!.metadata
    await story.deleteModule('m')
    expect(await isGone(story)).toBe(true)
    expect(['x', 'w', 'theirs'].map((n) => marked(liveOf(story, n)))).toEqual([false, false, false])
    expect([liveOf(story)?.data, liveOf(story, 'theirs')!.metadata.resourceVersion]).toEqual([
      { value: '1' },
      resourceVersion,
    ])
  })
})

describe('an object whose deletion a person confirms', () => {
  it('stays until somebody has deleted it, and says how; others go', async () => {
    const story = await delivered('confirm', [
      said('x', '1', OPTIONS, 'Prune=confirm'),
      configManifest('goes', '1'),
    ])
    await withoutThem(story, { rollout: { progressDeadlineSeconds: 60 } })
    expect(await story.until(() => liveOf(story, 'goes') === undefined, 30)).toBe(true)
    // A person may take longer than the deadline.
    await story.pass(400)
    expect(story.see('m').status?.rollout?.phase).toBe('Progressing')
    expect(reasons(story)).toEqual([
      'PruneConfirmation: ConfigMap default/x needs confirmation: lockstep rollout approve m --stage prune, or kubectl delete configmap x -n default',
    ])
    expect([liveOf(story)?.data, listed(story)]).toEqual([{ value: '1' }, ['stays', 'x']])
    must(await story.during(edge(story).delete(configMapKind, KEY, USER)))
    await ready(story)
    expect(listed(story)).toEqual(['stays'])
  })

  it.each(['Prune', 'Delete'] as const)('%s=confirm: or with an Approval of that revision', async (when) => {
    const story = await delivered(`confirm-${when}`, [said('x', '1', OPTIONS, `${when}=confirm`)])
    if (when === 'Prune') await withoutThem(story)
    else await story.deleteModule('m')
    expect(await story.until(() => reasons(story)[0]?.startsWith('PruneConfirmation') === true)).toBe(true)
    const approval = (name: string, revisionHash: string) => ({
      apiVersion: API_VERSION,
      kind: 'Approval',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: 'm' },
        stage: 'prune',
        point: 'After' as const,
        revisionHash,
        approvedBy: 'ann',
      },
    })
    must(await story.during(story.fleet.hub.create(approvalKind, approval('other', 'v1:0123456789'), USER)))
    await story.pass(30)
    expect(liveOf(story)).toBeDefined()
    const { revision } = story.inventory('m', 'edge')!.spec.admitted!
    must(await story.during(story.fleet.hub.create(approvalKind, approval('this', revision), USER)))
    expect(await story.until(() => liveOf(story) === undefined, 30)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('Delete=confirm holds up its unit', async () => {
    const story = await delivered('confirm-unit', [said('x', '1', OPTIONS, 'Delete=confirm')])
    await story.deleteModule('m')
    await story.pass(30)
    expect(reasons(story)[0]).toMatch(/^PruneConfirmation: /)
    must(await story.during(edge(story).delete(configMapKind, KEY, USER)))
    expect(await isGone(story)).toBe(true)
  })
})

describe('an object whose deletion the cluster refuses', () => {
  const POLICY = "ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: "

  /** The server answers deletes of x so, until `stop`. */
  function deny(story: Story, code: number, reason: string, message: string) {
    const { api } = story.fleet.clusters.get('edge')!
    const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message }
    let tries = 0
    let isDenying = true
    story.fleet.env.net.serve('https://edge.test', (request) => {
      const isIt = request.method === 'DELETE' && request.url.endsWith('/x')
      if (!isDenying || !isIt) return api.handle(request)
      tries++
      const body = JSON.stringify(status)
      return Promise.resolve({ status: code, headers: { 'content-type': 'application/json' }, body })
    })
    return {
      tries: () => tries,
      stop: () => {
        isDenying = false
      },
    }
  }

  it.each([
    [403, 'Forbidden'],
    [422, 'Invalid'],
    [400, 'BadRequest'],
  ])(
    '%i: stays listed, in the words of the server; others go; tried again each 5 minutes',
    async (code, reason) => {
      const story = await delivered(`denied ${code}`, [configManifest('x', '1'), configManifest('goes', '1')])
      const denial = deny(story, code, reason, `${POLICY}it is needed`)
      await withoutThem(story)
      expect(await story.until(() => reasons(story).length > 0, 30)).toBe(true)
      expect(reasons(story)).toEqual([
        `PruneBlocked: ConfigMap default/x cannot be removed: the cluster refuses it: ${POLICY}it is needed`,
      ])
      await story.pass(200)
      expect([denial.tries(), listed(story), liveOf(story, 'goes')]).toEqual([1, ['stays', 'x'], undefined])
      await story.pass(700)
      expect(denial.tries()).toBe(4)
      denial.stop()
      expect(await story.until(() => story.isReady('m'), 310)).toBe(true)
      expect([listed(story), liveOf(story)]).toEqual([['stays'], undefined])
      expect(story.fleet.oracles.violations).toEqual([])
    },
  )

  it('is tried again at once when something happens to it, and when the unit leaves', async () => {
    const story = await delivered('again', [configManifest('x', '1')])
    const denial = deny(story, 403, 'Forbidden', `${POLICY}no`)
    await story.deleteModule('m')
    expect(await story.until(() => reasons(story)[0]?.startsWith('PruneBlocked') === true, 30)).toBe(true)
    denial.stop()
    const label = { metadata: { labels: { free: 'yes' } } }
    must(await story.during(edge(story).patch(configMapKind, KEY, label, USER)))
    expect(await story.until(() => story.inventories.length === 0, 10)).toBe(true)
  })

  it('a Secret: who refuses is named, what it says of the object is not', async () => {
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: default}\nstringData: {password: hunter2}\n'
    const story = await delivered('secret', [secret])
    deny(story, 403, 'Forbidden', `secrets "x" is forbidden: ${POLICY}hunter2 is in use`)
    await withoutThem(story)
    expect(await story.until(() => reasons(story).length > 0, 30)).toBe(true)
    expect(reasons(story)[0]).toMatch(/'keep' denied request$/)
    const said = story.fleet.commits.filter((c) => c.cluster === 'hub' && c.resource.startsWith('events'))
    expect(JSON.stringify([said, story.fleet.env.lines])).not.toContain('hunter2')
  })

  it('so with our marks, where it is to be kept', async () => {
    const story = await delivered('marks', [said('x', '1', 'lockstep.dev/prune', 'Disabled')])
    const { api } = story.fleet.clusters.get('edge')!
    let isDenying = true
    story.fleet.env.net.serve('https://edge.test', (request) => {
      const isIt = request.method === 'PATCH' && request.url.includes('/configmaps/x')
      if (!isDenying || !isIt) return api.handle(request)
      const status = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' }
      const headers = { 'content-type': 'application/json' }
      return Promise.resolve({ status: 403, headers, body: JSON.stringify(status) })
    })
    await withoutThem(story)
    expect(await story.until(() => reasons(story)[0]?.startsWith('PruneBlocked') === true, 30)).toBe(true)
    isDenying = false
    expect(await story.until(() => story.isReady('m'), 310)).toBe(true)
    expect([marked(liveOf(story)), liveOf(story)?.data]).toEqual([false, { value: '1' }])
  })
})
