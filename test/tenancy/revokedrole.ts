/** The account of a namespace loses its RoleBinding while Modules use it. */
import { expect } from 'vitest'
import { DEPLOYER, TEAM } from '../../packages/lockstep/src/cli/commands/demo/tenancy/attacks.ts'
import { deployerAccount } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import type { TenancyStage } from './tenancystage.ts'

const manifest = (name: string, value: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${TEAM}}, data: {value: "${value}"}}`

const secretOf = (value: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: input, namespace: ${TEAM}}
stringData:
  a.yaml: |
    ${manifest('from-secret', value)}
`
const module = (name: string, source: string): string => `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}, namespace: ${TEAM}}
spec: {targets: {hub: true}, source: ${source}}
`
const hubModule = (value: string): string =>
  module('written', `{inline: {objects: [${manifest('written', value)}]}}`)

export async function expectRevoked(stage: TenancyStage): Promise<void> {
  const delivered = async (name: string) => {
    const found = await stage.find('v1', 'ConfigMap', name, TEAM)
    return (found as { data?: { value?: string } } | undefined)?.data?.value
  }
  const has = (name: string, value: string) => async () => (await delivered(name)) === value
  const isRefused = (name: string, what: string) => async () =>
    (await stage.blockers(TEAM, name)).some((b) => b.startsWith('Forbidden: ') && b.includes(what))
  const watchesOfInput = async () =>
    (await stage.servers.openWatches(DEPLOYER)).filter((e) => e.resource === 'secrets' && e.name === 'input')

  await stage.apply(stage.dev, secretOf('v0'))
  await stage.apply(stage.dev, module('read', '{secrets: [{name: input}]}'))
  await stage.apply(stage.dev, hubModule('v0'))
  await stage.until('both Modules are delivered', async () =>
    Boolean((await has('from-secret', 'v0')()) && (await has('written', 'v0')())),
  )
  expect(await watchesOfInput()).toHaveLength(1)

  const [, binding] = deployerAccount(TEAM, 'edit')
  const { apiVersion, kind, metadata } = binding as never
  const { name } = metadata as { name: string }
  const gone = await stage.tryDelete(apiVersion, kind, name, TEAM)
  expect(gone.ok).toBe(true)
  await stage.apply(stage.dev, hubModule('v1'))
  await stage.until('the next write is refused', isRefused('written', DEPLOYER))
  expect(await delivered('written')).toBe('v0')

  // An answer about a right is used for 10 s: until then a change may be published, but not delivered.
  const published = async () => (await stage.module(TEAM, 'read'))?.status?.currentRevision
  let [version, used] = [1, await published()]
  await stage.apply(stage.dev, secretOf('v1'))
  await stage.until('the Secret is refused', async () => {
    const revision = await published()
    if (revision !== used) await stage.apply(stage.dev, secretOf(`v${++version}`))
    used = revision
    return isRefused('read', `${DEPLOYER} cannot get secrets/input`)()
  })
  await stage.until('its watch is closed', async () => (await watchesOfInput()).length === 0)
  await stage.apply(stage.dev, secretOf('late'))
  // Another change of the namespace is handled after it.
  await stage.apply(stage.dev, hubModule('v2'))
  await stage.until('the later change is refused, too', async () => {
    const module = await stage.module(TEAM, 'written')
    return module?.status?.observedGeneration === module?.metadata.generation
  })
  expect(await published()).toBe(used)
  expect(await delivered('from-secret')).toBe('v0')

  await stage.apply(stage.admin, [binding as never])
  await stage.until('all is deployed with the RoleBinding', async () =>
    Boolean((await has('from-secret', 'late')()) && (await has('written', 'v2')())),
  )
}
