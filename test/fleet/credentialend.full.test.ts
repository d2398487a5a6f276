/** The credential of a cluster ends: people are warned before, and then nothing is sent until the Secret changes. */
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { secretKind, serviceAccountKind } from '../../packages/kube/src/kinds/types.ts'
import { timestamp } from '../../packages/kube/src/object/time.ts'
import { RENEW_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { createLocalCertificate } from '../../packages/lockstep/src/cli/kit/localfleet/localcertificate.ts'
import { quiet } from '../kube/subjects.ts'
import { ClusterDesk } from './clusterdesk.ts'
import {
  ACCOUNT,
  answers,
  putToken,
  registerCluster,
  renewals,
  storedEnd,
  storedKubeconfig,
} from './registercluster.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const KEY = { namespace: NAMESPACE, name: 'c1' }
const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const

async function delivered(name: string, annotations?: Readonly<Record<string, string>>): Promise<Story> {
  const story = await Story.begin(name, ['c1'])
  await registerCluster(story, 'c1', 600, annotations)
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return story
}
const status = (story: Story) => story.manager.hub.assemblages.store.get(KEY)?.status
const dataOf = (story: Story) =>
  story.live('c1', 'configmaps', 'web')?.data as Record<string, string> | undefined
const total = (story: Story): number => Object.values(answers(story, 'c1')).reduce((a, b) => a + b, 0)
const events = (story: Story, reason: string): string[] =>
  story.fleet.hubApi.local
    .list('events.events.k8s.io', NAMESPACE)
    .filter((e) => e.reason === reason)
    .map((e) => String(e.note))
/** Kubeconfig of a cluster with a client certificate. */
const certificateKubeconfig = (cert: string, key: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c1', cluster: { server: 'https://c1.test' } }],
    users: [{ name: 'c1', user: { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) } }],
    contexts: [{ name: 'c1', context: { cluster: 'c1', user: 'c1' } }],
    'current-context': 'c1',
  })

describe('another credential in the Secret', () => {
  it('has its end in the gauge and in cluster list within 5 s', async () => {
    const desk = await ClusterDesk.open('end-shown')
    const { story } = desk
    const shown = async (): Promise<unknown[]> => {
      await story.pass(5)
      const gauge = story.manager
        .gauges(1000)
        .find((g) => g.name === 'lockstep_cluster_credential_expiry_timestamp_seconds')
      const listed = JSON.parse((await desk.run('cluster list -o json')).out)
      const row = listed.items.find((c: { name: string }) => c.name === 'c1')
      return [gauge?.value, row.expires]
    }
    const ends = (ms: number): unknown[] => [ms / 1000, timestamp(ms)]
    await registerCluster(story, 'c1', 600, {})
    expect(await shown()).toEqual(ends(storedEnd(story, 'c1')))
    await putToken(story, 'c1', 7200, {})
    expect(await shown()).toEqual(ends(storedEnd(story, 'c1')))
    const { cert, key } = await createLocalCertificate(createNodeEnv(quiet))
    const data = { kubeconfig: btoa(certificateKubeconfig(cert, key)) }
    must(await story.during(story.fleet.hub.patch(secretKind, KEY, { data }, WRITE)))
    expect(await shown()).toEqual(ends(Date.parse(new X509Certificate(cert).validTo)))
  }, 60_000)
})

describe('a token without renewal', () => {
  it('is expiring at three quarters of its life, and expired within 10 s after its end: no request then', async () => {
    const story = await delivered('end-unrenewed', {})
    const end = storedEnd(story, 'c1')
    const { clock } = story.fleet.env
    await story.pass((end - clock.now()) / 1000 - 160)
    expect(status(story)?.blockers).toBeUndefined()
    await story.pass(20)
    expect(status(story)?.cluster).toBe('Connected')
    expect(status(story)?.blockers?.[0]).toMatchObject({ reason: 'CredentialExpiring' })
    expect(events(story, 'CredentialExpiring')).toHaveLength(1)
    expect([story.isReady('web'), story.blockers('web')]).toEqual([true, []])
    await story.pass((end - clock.now()) / 1000 + 10)
    expect(status(story)?.cluster).toBe('Unreachable')
    const at = new Date(end).toISOString().replace('.000', '')
    expect(status(story)?.blockers?.[0]?.message).toBe(`token of cluster c1 expired at ${at}`)
    const sent = total(story)
    await story.config('web', configManifest('web', '2'))
    await story.pass(1200)
    expect(total(story)).toBe(sent)
    expect(story.blockers('web').join()).toContain('CredentialExpired')
    expect(renewals(story, 'c1')).toBe(0)
    // `rotate`, by an administrator.
    await putToken(story, 'c1', 3600, {})
    expect(await story.until(() => dataOf(story)?.value === '2', 30)).toBe(true)
    expect(await story.until(() => status(story)?.cluster === 'Connected', 10)).toBe(true)
  }, 60_000)
})

describe('a token that is renewed', () => {
  it('a server that is away past the end: no request after it, and renewals do not begin again by themselves', async () => {
    const story = await delivered('end-away')
    story.fleet.env.net.unserve('https://c1.test')
    const { clock } = story.fleet.env
    const end = storedEnd(story, 'c1')
    await story.pass((end - clock.now()) / 1000 + 10)
    expect(status(story)?.blockers?.[0]?.reason).toBe('CredentialExpired')
    expect(renewals(story, 'c1')).toBe(0)
    const failed = story.fleet.env.meters
      .read()
      .find((s) => s.name === 'lockstep_credential_renewals_total' && s.labels.result === 'failed')
    expect(failed!.value).toBeGreaterThanOrEqual(3)
    const warnings = story.fleet.env.lines.filter((l) => l.message.includes('could not be renewed'))
    expect(warnings.map(({ fields }) => [fields.reason, fields.cluster])).toEqual([
      ['RenewalFailed', `${NAMESPACE}/c1`],
    ])
  }, 60_000)

  it('whose Secret changes while the next one is asked for is not written', async () => {
    const story = await delivered('end-raced')
    const { env, hub } = story.fleet
    const evil: string[] = []
    env.net.serve('https://evil.test', async (request) => {
      evil.push(JSON.stringify(request.headers))
      return { status: 401, headers: {}, body: '' }
    })
    // As a tenant who may edit the Secret: the present token may go anywhere, the next one may not.
    const moved = storedKubeconfig(story, 'c1').replace('c1.test', 'evil.test')
    const data = { kubeconfig: btoa(moved) }
    const clusterApi = story.fleet.clusters.get('c1')!.api
    let isMoved = false
    env.net.serve('https://c1.test', async (request) => {
      const answer = await clusterApi.handle(request)
      if (request.url.includes('/token') && !isMoved) {
        isMoved = true
        must(await hub.patch(secretKind, KEY, { data }, WRITE))
      }
      return answer
    })
    expect(await story.until(() => isMoved, 460)).toBe(true)
    await story.pass(60)
    expect(storedKubeconfig(story, 'c1')).toBe(moved)
    const present = /token: (\S+)/.exec(moved)![1]!
    const others = evil.join().replaceAll(present, '')
    expect(others).not.toMatch(/Bearer ey/)
  }, 60_000)

  it('stays out of the log if the server repeats it', async () => {
    const story = await delivered('end-repeated')
    const clusterApi = story.fleet.clusters.get('c1')!.api
    story.fleet.env.net.serve('https://c1.test', async (request) => {
      if (!request.url.includes('/token')) return clusterApi.handle(request)
      const message = `no: ${request.headers.authorization}`
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 403, message })
      return { status: 403, headers: { 'content-type': 'application/json' }, body }
    })
    await story.pass(460)
    const log = JSON.stringify(story.fleet.env.lines)
    expect(log).toContain('could not be renewed')
    const token = /token: (\S+)/.exec(storedKubeconfig(story, 'c1'))![1]!
    for (const part of [token.slice(0, 30), token.slice(-30)]) expect(log).not.toContain(part)
  }, 60_000)

  it('of another account than before is not written', async () => {
    const story = await delivered('end-other')
    const clusterApi = story.fleet.clusters.get('c1')!.api
    const admin = story.fleet.clusters.get('c1')!.client
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...ACCOUNT, name: 'other' } }
    must(await story.during(admin.create(serviceAccountKind, account, WRITE)))
    story.fleet.env.net.serve('https://c1.test', (request) =>
      clusterApi.handle({ ...request, url: request.url.replace('lockstep/token', 'other/token') }),
    )
    await story.pass(500)
    expect(renewals(story, 'c1')).toBe(0)
    expect(JSON.stringify(story.fleet.env.lines)).toContain(
      'is not one of system:serviceaccount:default:lockstep',
    )
  }, 60_000)

  it('without the annotation is left alone', async () => {
    const story = await delivered('end-left', { [`${RENEW_ANNOTATION}-not`]: '10m' })
    await story.pass(450)
    expect(renewals(story, 'c1')).toBe(0)
  }, 60_000)
})
