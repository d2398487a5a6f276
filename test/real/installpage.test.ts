/** Every command of the pages about installing and upgrading, on real hubs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasHelm } from '../charts/lockstepchart.ts'
import { untypedFences } from '../docs/consolepage.ts'
import { hasKubectl, PageShell } from './pageshell.ts'
import { findPrograms, type RealServers, startRealServers } from './realservers.ts'

const INSTALL = 'docs/operations/install.md'
const UPGRADE = 'docs/operations/upgrade.md'

let servers: RealServers
let shell: PageShell

beforeAll(async () => {
  servers = await startRealServers(findPrograms()!, ['manifests', 'chart'])
  shell = new PageShell()
  for (const c of servers.clusters) shell.add(c)
}, 120_000)
afterAll(async () => {
  shell.close()
  await servers.stop()
})

/** Kinds are served a moment after their definitions were applied. */
const served = (hub: string) => shell.until(hub, 'kubectl get lockstep -A')

it.each([INSTALL, UPGRADE])('%s: every fence is either run or marked as text', (page) => {
  expect(untypedFences(page)).toBe(0)
})

describe.skipIf(!hasKubectl || !hasHelm)('the commands of', () => {
  it('manifests', async () => {
    await shell.follow('manifests', INSTALL, 'Command line')
    await shell.follow('manifests', INSTALL, 'Install with manifests')
    await served('manifests')
    await shell.follow('manifests', INSTALL, 'Check the installation')
    await shell.follow('manifests', UPGRADE, 'Before an upgrade')
    await shell.follow('manifests', UPGRADE, 'Upgrade with manifests')
    await shell.follow('manifests', UPGRADE, 'Back to the version before')
    await shell.follow('manifests', INSTALL, 'Uninstall')
  }, 120_000)

  it('the chart', async () => {
    await shell.follow('chart', INSTALL, 'Install with Helm')
  }, 120_000)
})
