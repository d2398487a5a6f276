/** A platform, out of Git, from nothing to nothing: in order, quiet, and gone again. */
import { expect } from 'vitest'
import { READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { inventoryName } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import type { CountingProxy } from '../kube/countingproxy.ts'
import { canRun } from '../shareddata.ts'
import { jobKind } from './casemanifests.ts'
import { counted } from './countedcluster.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'
import { type Setting, withGit } from './git.cases.ts'
import { ours, type PlatformDelivery } from './platformdeliveries.ts'
import { unitReasonOf } from './refusals.cases.ts'

const MODULE = 'platform'

/** Commits these files as the module's; resolves with the id of the commit. */
function push(s: Setting, files: Readonly<Record<string, string>>, note: string): string {
  const inFolder = Object.entries(files).map(([path, text]) => [`apps/${path}`, text])
  return s.repository.commit({ ...Object.fromEntries(inFolder), NOTE: note })
}

const untilReadyAt = (c: Corner, commit: string) =>
  c.untilModule(
    MODULE,
    `ready at ${commit}`,
    (m) =>
      m.status?.sourceRevision?.endsWith(commit) === true &&
      m.status.observedGeneration === m.metadata.generation &&
      condition(m, 'Ready')?.status === 'True',
  )

const uidsOf = ({ jobs }: PlatformDelivery, c: Corner): Promise<string[]> =>
  Promise.all(
    (jobs?.names ?? []).map(async (name) => {
      const job = value(await c.c1.get(jobKind, { namespace: jobs!.namespace, name }, READ))
      expect(condition(job as never, 'Complete')?.status, name).toBe('True')
      return job.metadata.uid
    }),
  )

/** What becomes of the unit's own objects. Its stamp is about them, and costs what it costs. */
const writesOf = (proxy: CountingProxy) =>
  proxy.answers.filter((a) => a.method === 'PATCH' || a.method === 'DELETE')

/** What was written to the cluster and is still there, by its path. */
async function remains(c: Corner, proxy: CountingProxy): Promise<string[]> {
  const { token } = JSON.parse(c.subject.c1.kubeconfig).users[0].user
  const connection = c.subject.env.net.connect(
    {
      url: proxy.url,
      tls: { ca: proxy.ca },
      headers: { authorization: `Bearer ${token}` },
    },
    'operator',
  )
  const paths = new Set(writesOf(proxy).map(({ path }) => path.split('?')[0]!))
  const found: string[] = []
  for (const path of paths) {
    const answer = await connection.request({ method: 'GET', path, headers: {} })
    if (!answer.ok) throw new Error(answer.error.detail)
    await answer.value.text()
    if (answer.value.status !== 404) found.push(`${answer.value.status} ${path}`)
  }
  await connection.close()
  return found
}

/** Jobs that stay when they are done, so that they can be told from others of their name. */
const keptJobs = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      text.replace(/^ *ttlSecondsAfterFinished: \d+\n/gm, ''),
    ]),
  )

/**
 * What is asked about the cluster, not about the unit: watches last as long as they last, and what the cluster serves and who it
 * is may be asked late, by a timer that the first delivery has set.
 */
const OF_THE_CONNECTION = /[?&]watch=true|^\/apis?(\?|$)|\/namespaces\/kube-system(\?|$)/

async function story(d: PlatformDelivery, c: Corner, s: Setting, proxy: CountingProxy): Promise<void> {
  const files = d.jobs ? keptJobs(d.files()) : d.files()
  const first = push(s, files, 'first')
  await c.module(MODULE, {
    source: s.source({ branch: 'main' }),
    ...(d.namespace ? { render: { namespace: d.namespace } } : {}),
    health: { settleSeconds: 1 },
  })
  await untilReadyAt(c, first)
  const written = writesOf(proxy).map((a) => `${a.method} ${a.path} ${a.status}`)
  // Nothing is refused, so nothing came before what it needs; nothing is asked for twice.
  expect(writesOf(proxy).filter((a) => a.status >= 400)).toEqual([])
  expect(written).toEqual([...new Set(written)])
  expect(written.filter((w) => w.includes(`/apis/${d.defines}/`)).length > 2).toBe(d.defines !== undefined)
  expect(await remains(c, proxy)).toHaveLength(written.length)

  const before = await uidsOf(d, c)
  const from = proxy.answers.length
  const second = push(s, files, 'second')
  await s.reconcile(MODULE)
  await untilReadyAt(c, second)
  expect(proxy.answers.slice(from).filter(({ path }) => !OF_THE_CONNECTION.test(path))).toEqual([])
  expect(await uidsOf(d, c)).toEqual(before)

  if (d.jobs) {
    const { image, other } = d.jobs
    const changed = Object.entries(files).map(([path, text]) => [path, text.replace(image, other)])
    push(s, Object.fromEntries(changed), 'third')
    await s.reconcile(MODULE)
    expect(await unitReasonOf(c, MODULE, 'ImmutableField')).toContain('spec.template')
    expect(await uidsOf(d, c)).toEqual(before)
  }

  await c.deleteModule(MODULE)
  const ref = { kind: 'Module', namespace: c.namespace, name: MODULE } as const
  await c.untilGone(c.hub, inventoryKind, inventoryName(ref, 'c1')).catch(async (e: Error) => {
    throw new Error(`${e.message}\nstill on the cluster: ${(await remains(c, proxy)).join(', ')}`)
  })
  expect(await remains(c, proxy)).toEqual([])
}

const caseOf = (d: PlatformDelivery): FleetCase => ({
  name: `${d.title}: delivered in order, quiet when looked at again, and nothing is left of it`,
  patienceSeconds: 90,
  run: async (c) => {
    const proxy = await counted(c)
    await withGit(c, (s) => story(d, c, s, proxy)).finally(() => proxy.close())
  },
})

export const casesOf = (deliveries: readonly PlatformDelivery[]): FleetCase[] =>
  deliveries.filter((d) => d.folder === undefined || canRun(d.title, d.folder)).map(caseOf)

export const platformCases: readonly FleetCase[] = casesOf(ours)
