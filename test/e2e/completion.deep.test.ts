/** The second that completion waits for a silent hub, by a clock. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sit } from './person.ts'

const folder = mkdtempSync(join(tmpdir(), 'lockstep-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function kubeconfigFor(server: string): string {
  const path = join(folder, 'silent')
  writeFileSync(
    path,
    `current-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "${server}"}}]\n`,
  )
  return path
}

describe('a hub', () => {
  it('that gives no answer is waited for one second, and then nothing is said', async () => {
    const silent = createServer((socket) => void socket.on('error', () => {}))
    await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready))
    const { port } = silent.address() as AddressInfo
    const KUBECONFIG = kubeconfigFor(`http://127.0.0.1:${port}`)
    const start = Date.now()
    const ran = await sit(['__complete', 'get', 'modules', ''], { variables: { KUBECONFIG } })
    expect(ran).toEqual({ code: 0, out: '', err: '' })
    expect(Date.now() - start).toBeGreaterThan(900)
    expect(Date.now() - start).toBeLessThan(10_000)
    silent.close()
  })
})
