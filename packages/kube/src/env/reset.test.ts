import { afterAll, describe, expect, it } from 'vitest'
import type { Env } from './env.ts'
import type { Connection, Handler, ServerResponse } from './net.ts'
import { createNodeEnv } from './node/nodeenv.ts'
import { nodeLog } from './node/nodelog.ts'
import { createSimEnv } from './sim/simenv.ts'

/** A server that resets the connection, on purpose: its client sees the same in a simulation as over a socket. */
describe.each([
  ['over a socket', () => createNodeEnv(nodeLog('silent'))],
  ['in a simulation', () => createSimEnv('reset') as Env],
])('a reset, %s', (_, make) => {
  const env = make()
  let connection: Connection | undefined
  let close = async (): Promise<void> => {}
  afterAll(async () => {
    await connection?.close()
    await close()
  })

  it('nothing of the answer, half of it, all of it', async () => {
    const cuts: ServerResponse['cut'][] = ['unsent', 'half', undefined]
    const handler: Handler = async () => {
      const cut = cuts.shift()
      return { status: 201, headers: {}, body: 'x'.repeat(1000), ...(cut ? { cut } : {}) }
    }
    const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, handler)
    if (!listening.ok) throw new Error(listening.error.detail)
    close = () => listening.value.close()
    connection = env.net.connect({ url: listening.value.url }, 'operator')
    const ask = () => connection!.request({ method: 'POST', path: '/', headers: {} })

    expect(await ask()).toMatchObject({ ok: false, error: { phase: 'receive' } })
    const half = await ask()
    expect(half).toMatchObject({ ok: true, value: { status: 201 } })
    expect(half.ok && (await half.value.text())).toMatchObject({ ok: false, error: { phase: 'receive' } })
    const whole = await ask()
    expect(whole.ok && (await whole.value.text())).toEqual({ ok: true, value: 'x'.repeat(1000) })
  })
})
