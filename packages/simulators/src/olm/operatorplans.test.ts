import { describe, expect, it } from 'vitest'
import { createApiServer } from '../../../apiserver/src/server/index.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { at, type KubeObject } from '../../../kube/src/object/index.ts'
import { startWorld } from '../world/startworld.ts'
import { patternDefinitions } from './patterndefinitions.ts'

const NAMESPACE = 'storage'

async function groupWith(spec: object) {
  const env = createSimEnv('operators')
  const { local } = createApiServer(env, { name: 'edge' })
  startWorld(env, local, { name: 'edge', operators: {} })
  const put = (o: object): void => expect(local.create(o as KubeObject, 'test').ok).toBe(true)
  for (const o of [
    ...patternDefinitions(),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  ])
    put(o)
  await env.clock.run(() => false, 1000)
  put({
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    spec,
    metadata: { name: 'group', namespace: NAMESPACE },
  })
  const see = (): KubeObject => local.get('operatorgroups.operators.coreos.com', NAMESPACE, 'group')!
  await env.clock.run(() => false, 1000)
  /** Also where nobody has anything to do. */
  const pass = async (ms: number): Promise<void> => {
    env.clock.at(env.clock.steady() + ms, () => {})
    await env.clock.run(() => false, ms)
  }
  return { local, see, pass }
}

describe('an OperatorGroup', () => {
  it.each([
    [{ targetNamespaces: [NAMESPACE] }, [NAMESPACE]],
    [{ targetNamespaces: ['shop', NAMESPACE] }, ['shop', NAMESPACE]],
    [{ targetNamespaces: [] }, ['']],
    [{}, ['']],
  ])('of %j is about %j', async (spec, namespaces) => {
    const { see } = await groupWith(spec)
    expect(at(see(), 'status', 'namespaces')).toEqual(namespaces)
  })

  it('is written again only when its namespaces change, with the time of that', async () => {
    const { local, see, pass } = await groupWith({ targetNamespaces: [NAMESPACE] })
    const before = see()
    const labels = { team: 'storage' }
    expect(local.update({ ...before, metadata: { ...before.metadata, labels } }, 'test').ok).toBe(true)
    await pass(5000)
    expect(see().status).toEqual(before.status)
    expect(local.update({ ...see(), spec: {} } as KubeObject, 'test').ok).toBe(true)
    await pass(1000)
    expect(at(see(), 'status', 'namespaces')).toEqual([''])
    expect(at(see(), 'status', 'lastUpdated')).not.toBe(at(before, 'status', 'lastUpdated'))
  })
})
