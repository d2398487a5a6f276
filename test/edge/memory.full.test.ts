/** Memory of the process while servers send without end, over sockets. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startInformer } from '../../packages/kube/src/cache/informer.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { silentLog } from '../../packages/kube/src/env/log/silentlog.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'

/** Answers `/endless` without an end, `/large` with 31 MiB. In a process of its own, whose memory does not count. */
const SERVER = `
const item = (i) => JSON.stringify({ metadata: { name: 'o' + i, namespace: 'default', uid: 'u' + i, resourceVersion: '1' },
  data: { text: 'x'.repeat(62 * 1024) } })
const large = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[' +
  Array.from({ length: 500 }, (_, i) => item(i)).join(',') + ']}'
const piece = 'x'.repeat(64 * 1024)
require('node:http').createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  if (request.url.includes('watch=true') && request.url.includes('/large')) return response.flushHeaders()
  if (request.url.includes('/large')) return response.end(large)
  response.write('{"a":"')
  const more = () => { while (response.write(piece)); }
  response.on('drain', more)
  more()
}).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)) })
`

const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] })
let base = ''

beforeAll(async () => {
  const [port] = await once(server.stdout, 'data')
  base = `http://127.0.0.1:${port}`
})

afterAll(() => {
  server.kill()
})

const env = createNodeEnv(silentLog)
const clientOf = (path: string, i: number) =>
  createHttpClient(env, `c${i}`, env.net.connect({ url: `${base}/${path}${i}` }, 'operator'))

/** The most memory that the process has had, in MiB: never falls, so each test measures all before it too. */
const peak = (): number => process.resourceUsage().maxRSS / 1024
const atStart = peak()

const MANY = 50
const MOST_MIB = 200

it('endless lists of 50 clusters at once take less than 200 MiB', { timeout: 120_000 }, async () => {
  await Promise.all(
    Array.from({ length: MANY }, async (_, i) => {
      const client = clientOf('endless', i)
      const listed = await client.list(configMapKind, { purpose: 'sync' })
      expect(listed).toMatchObject({
        ok: false,
        error: { kind: 'Malformed', problem: 'over 8 MiB beside its items' },
      })
      await client.close()
    }),
  )
  expect(peak() - atStart).toBeLessThan(MOST_MIB)
})

it('endless lines of 50 clusters at once take less than 200 MiB', { timeout: 120_000 }, async () => {
  await Promise.all(
    Array.from({ length: MANY }, async (_, i) => {
      const client = clientOf('endless', i)
      for await (const event of client.watch(configMapKind, { purpose: 'sync' }))
        expect(event).toMatchObject({ type: 'ERROR', error: { problem: 'a line over 8 MiB' } })
      await client.close()
    }),
  )
  expect(peak() - atStart).toBeLessThan(MOST_MIB)
})

it('lists of 31 MiB from 50 clusters at once take less than 200 MiB', { timeout: 120_000 }, async () => {
  await Promise.all(
    Array.from({ length: MANY }, async (_, i) => {
      const client = clientOf('large', i)
      const informer = startInformer(env, client, { kind: configMapKind, project: (o) => o.metadata.uid })
      await new Promise<void>((resolve) => informer.store.onSynced(resolve))
      expect(informer.store.size).toBe(500)
      informer.stop()
      await client.close()
    }),
  )
  expect(peak() - atStart).toBeLessThan(MOST_MIB)
})
