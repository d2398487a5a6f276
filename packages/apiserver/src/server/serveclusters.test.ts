import { describe, expect, it } from 'vitest'
import { connectInProcess } from '../../../kube/src/env/inprocess.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { createApiServer, serveClusters } from './index.ts'

function twoClusters() {
  const env = createSimEnv('clusters')
  const servers = new Map(['a', 'b'].map((name) => [name, createApiServer(env, { name })]))
  const connection = connectInProcess(serveClusters(servers))
  const call = async (method: string, path: string, body?: object) => {
    const answer = await connection.request({ method, path, headers: {}, body: body && JSON.stringify(body) })
    const text = answer.ok ? await answer.value.text() : undefined
    return { status: answer.ok ? answer.value.status : 0, body: JSON.parse(text?.ok ? text.value : '{}') }
  }
  return { servers, call }
}

describe('many clusters in one process', () => {
  it('share nothing: no object, no uid, no version', async () => {
    const { call, servers } = twoClusters()
    const path = '/api/v1/namespaces/default/configmaps'
    await call('POST', `/clusters/a${path}`, { metadata: { name: 'x' } })
    expect((await call('GET', `/clusters/a${path}/x`)).status).toBe(200)
    expect((await call('GET', `/clusters/b${path}/x`)).status).toBe(404)
    expect(servers.get('a')!.identity).not.toBe(servers.get('b')!.identity)
  })

  it('are told apart by their path; an unknown one is not found', async () => {
    const { call } = twoClusters()
    expect((await call('GET', '/clusters/a/version')).body.gitVersion).toBe('v1.36.4+lockstep')
    expect(await call('GET', '/clusters/x/api/v1/pods')).toMatchObject({
      status: 404,
      body: { message: 'cluster "x" not found' },
    })
  })

  it('behave alike for the same seed', async () => {
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const { call } = twoClusters()
        const made = await call('POST', '/clusters/a/api/v1/namespaces/default/services', {
          metadata: { generateName: 's-' },
          spec: { ports: [{ port: 80 }] },
        })
        return made.body
      }),
    )
    expect(runs[0]).toEqual(runs[1])
  })
})
