/** An account loses its rights: nothing is written or read with them any more, and watches that were opened with them end. */
import { expect, it } from 'vitest'
import { serviceAccountKind } from '../../packages/kube/src/kinds/types.ts'
import { keyOf } from '../../packages/kube/src/object/index.ts'
import { type AuditEntry, auditedHandler } from '../audit/auditentry.ts'
import { OpenWatches } from '../audit/openwatches.ts'
import { accountsAdmin, clusterRoleBindingKind } from './accountrights.ts'
import { must, NAMESPACE, simFleet } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const ACCOUNT = `system:serviceaccount:${NAMESPACE}:lockstep-deployer`
const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const MINUTES = 60

const inline = (value: string, name = 'own'): object => ({
  inline: {
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default' },
        data: { value },
      },
    ],
  },
})
const BOUND = {
  name: 'VALUE',
  objectFieldRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'values', fieldPath: 'data["all.yaml"]' },
}

async function begin() {
  const fleet = await simFleet('revocation', ['edge'])
  const audit: AuditEntry[] = []
  const watches = new OpenWatches()
  const handler = auditedHandler(watches.around(fleet.hubApi.handle), (e) => audit.push(e))
  fleet.env.net.serve('https://hub.test', handler)
  const story = new Story(fleet)
  const account = { apiVersion: 'v1', kind: 'ServiceAccount' }
  const metadata = { name: 'lockstep-deployer', namespace: NAMESPACE }
  must(await story.during(fleet.hub.create(serviceAccountKind, { ...account, metadata }, USER)))
  await story.secret('input', configManifest('of-secret', 'v1'))
  await story.config('input', configManifest('of-config', 'v1'))
  await story.config('values', 'v1')
  await story.module('secret', { secrets: [{ name: 'input' }] })
  await story.module('config', 'input')
  await story.module('bound', inline('$(VALUE)', 'bound'), { bindings: [BOUND], targets: { hub: true } })
  await story.module('own', inline('v1'), { targets: { hub: true } })
  const names = ['secret', 'config', 'bound', 'own']
  const areReady = () => names.every((n) => story.isReady(n))
  expect(await story.until(areReady), names.flatMap((n) => story.blockers(n)).join('\n')).toBe(true)
  const reviews = () => audit.filter((e) => e.resource === 'selfsubjectaccessreviews').length
  /** Inputs that the account has a watch of. */
  const watched = () => {
    const all = watches.of(ACCOUNT).map((e) => `${e.resource} ${e.namespace}/${e.name}`)
    return [...new Set(all)].filter((w) => w.includes(` ${NAMESPACE}/`)).sort()
  }
  return { story, audit, reviews, watched, areReady }
}

it('after its RoleBinding is removed; with it again, all is deployed', async () => {
  const { story, audit, reviews, watched, areReady } = await begin()
  const { hub } = story.fleet
  const inputs = [`configmaps ${NAMESPACE}/`, `configmaps ${NAMESPACE}/values`, `secrets ${NAMESPACE}/input`]
  expect(watched()).toEqual(inputs)

  // At rest, no right is asked for.
  await story.pass(MINUTES)
  const asked = reviews()
  expect(asked).toBeGreaterThan(0)
  await story.pass(10 * MINUTES)
  expect(reviews()).toBe(asked)

  must(await story.during(hub.delete(clusterRoleBindingKind, keyOf(accountsAdmin()), USER)))
  const from = { commits: story.fleet.commits.length, audit: audit.length }
  await story.pass(10)
  await story.secret('input', configManifest('of-secret', 'v2'))
  await story.config('input', configManifest('of-config', 'v2'))
  await story.config('values', 'v2')
  await story.module('own', inline('v2'), { targets: { hub: true } })
  await story.pass(10)
  expect(story.blockers('secret')).toEqual([
    expect.stringMatching(
      `^Forbidden: .*${ACCOUNT} cannot get secrets/input in namespace ${NAMESPACE} on hub`,
    ),
  ])
  expect(story.blockers('config')).toEqual([
    expect.stringMatching(
      `^Forbidden: .*${ACCOUNT} cannot get configmaps/input in namespace ${NAMESPACE} on hub`,
    ),
  ])
  expect(story.blockers('bound').join()).toMatch(`${ACCOUNT} cannot get configmaps`)
  expect(story.blockers('own')).toEqual([
    expect.stringMatching(`^Forbidden: ${ACCOUNT} cannot .*configmaps in namespace default on hub`),
  ])
  expect(story.writes('edge', from.commits)).toEqual([])
  expect(story.live('edge', 'configmaps', 'of-secret')).toMatchObject({ data: { value: 'v1' } })
  expect(story.fleet.hubApi.local.get('configmaps', 'default', 'own')).toMatchObject({
    data: { value: 'v1' },
  })
  // Nothing but reviews was answered, each account's watch of an input is closed.
  const allowed = audit.slice(from.audit).filter((e) => e.impersonated === ACCOUNT && e.code !== 403)
  expect(allowed.filter((e) => e.resource !== 'selfsubjectaccessreviews')).toEqual([])
  expect(watched()).toEqual([])

  must(await story.during(hub.create(clusterRoleBindingKind, accountsAdmin(), USER)))
  const values = () => [
    story.live('edge', 'configmaps', 'of-secret')?.data,
    story.live('edge', 'configmaps', 'of-config')?.data,
    ...['own', 'bound'].map((n) => story.fleet.hubApi.local.get('configmaps', 'default', n)?.data),
  ]
  const isNew = () => values().every((d) => (d as { value?: string } | undefined)?.value === 'v2')
  expect(await story.until(() => isNew() && areReady()), JSON.stringify(values())).toBe(true)
  expect(watched()).toEqual(inputs)
})
