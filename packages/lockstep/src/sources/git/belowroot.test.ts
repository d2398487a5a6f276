import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeFiles } from '../../../../kube/src/env/node/nodefiles.ts'
import { belowRoot } from './belowroot.ts'
import { parseGitUrl } from './giturl.ts'

describe('repositories of this machine', () => {
  let root: string
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'lockstep-root-')))
    mkdirSync(join(root, 'mine/web'), { recursive: true })
    mkdirSync(join(root, 'mine-too'))
    symlinkSync('/etc', join(root, 'mine/away'))
    symlinkSync(join(root, 'mine/web'), join(root, 'mine/link'))
    symlinkSync(join(root, 'mine'), join(root, 'alias'))
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  async function ask(text: string, below = join(root, 'mine')) {
    const url = parseGitUrl(text, true)
    if (!url.ok) throw new Error(url.error)
    const found = await belowRoot(nodeFiles, url.value, below)
    return found.ok ? found.value.text : `${found.error.reason}: ${found.error.message}`
  }

  it('are taken below the root, by the path that they lead to', async () => {
    expect(await ask(`file://${root}/mine/web`)).toBe(`file://${root}/mine/web`)
    expect(await ask(`file://${root}/mine/link`)).toBe(`file://${root}/mine/web`)
    expect(await ask(`file://${root}/alias/web`, join(root, 'alias'))).toBe(`file://${root}/mine/web`)
    expect(await ask(`file://${root}/mine/web`, '/')).toBe(`file://${root}/mine/web`)
  })

  it.each([
    'file:///etc',
    'file:///nonexistent',
    'file://ROOT/mine/../mine-too',
    'file://ROOT/mine-too',
    'file://ROOT/mine/away',
    'file://ROOT/mine/away/ssl',
    'file://ROOT/mine/%2e%2e/mine-too',
    'file://ROOT/mine/..%2fmine-too',
    'file://evil/mine',
  ])('A18: %s is not below it', async (text) => {
    const written = text.replace('ROOT', root)
    expect(await ask(written)).toBe(`HostRefused: ${written} is not below ${root}/mine`)
  })

  it('are read by git where their names have signs of URLs', async () => {
    const path = join(root, 'mine/a b%20c')
    execFileSync('git', ['init', '-q', '--bare', path])
    const text = await ask(`file://${root}/mine/a%20b%2520c`)
    expect(execFileSync('git', ['ls-remote', text], { encoding: 'utf8' })).toBe('')
  })

  it('that do not exist below the root are reported as missing', async () => {
    expect(await ask(`file://${root}/mine/none`)).toMatch(/^SourceUnreachable: .*not/)
  })
})
