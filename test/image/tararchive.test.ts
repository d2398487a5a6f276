/** Layers of the image, read by real tar; libraries of programs, by the loader of this machine. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const { FileTree } = await import(resolve('scripts/image/filetree.js'))
const { tarBlocks } = await import(resolve('scripts/image/tararchive.js'))
const { readElf } = await import(resolve('scripts/image/elf.js'))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-tar-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LONG = `/opt/${'folder/'.repeat(20)}file`
const SAME = 'x'.repeat(700)

function sample(order: readonly number[]) {
  const tree = new FileTree()
  const steps = [
    () => tree.file('/usr/bin/b', SAME, 0o755),
    () => tree.link('/bin', 'usr/bin'),
    () => tree.directory('/tmp', 0o1777),
    () => tree.file(LONG, 'long'),
    () => tree.file('/usr/bin/a', SAME, 0o755),
    () => tree.link('/usr/bin/c', LONG),
  ]
  for (const i of order) steps[i]!()
  return Buffer.concat([...tarBlocks(tree)])
}

it('equal trees give equal bytes, in whatever order they were filled', () => {
  expect(sample([0, 1, 2, 3, 4, 5]).equals(sample([5, 4, 3, 2, 1, 0]))).toBe(true)
})

it('tar reads paths, links, modes, owners and times', () => {
  const path = join(folder, 'layer.tar')
  writeFileSync(path, sample([0, 1, 2, 3, 4, 5]))
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }
  const listed = execFileSync('tar', ['tvf', path, '--numeric-owner', '--full-time'], {
    encoding: 'utf8',
    env,
  })
  const lines = listed
    .trim()
    .split('\n')
    .map((l) => l.replace(/ +/g, ' '))
  for (const line of lines) expect(line).toMatch(/^\S+ 0\/0 \d+ 1970-01-01 00:00:00 /)
  const shown = lines.map((l) => `${l.split(' ')[0]} ${l.split('00:00:00 ')[1]}`)
  expect(shown).toEqual(
    expect.arrayContaining([
      'lrwxrwxrwx bin -> usr/bin',
      'drwxrwxrwt tmp/',
      `-rw-r--r-- ${LONG.slice(1)}`,
      '-rwxr-xr-x usr/bin/a',
      'hrwxr-xr-x usr/bin/b link to usr/bin/a',
      `lrwxrwxrwx usr/bin/c -> ${LONG}`,
    ]),
  )
  const paths = shown.map((l) => l.split(' ')[1]!.replace(/\/$/, ''))
  expect(paths).toEqual([...paths].sort())
  expect(paths.indexOf('usr')).toBeLessThan(paths.indexOf('usr/bin'))
})

it.skipIf(spawnSync('ldd', ['--version']).status !== 0)('libraries are those that the loader names', () => {
  const found = readElf(readFileSync(process.execPath))
  const loaded = execFileSync('ldd', [process.execPath], { encoding: 'utf8' })
  expect(found.needed.length).toBeGreaterThan(0)
  for (const library of found.needed) expect(loaded).toContain(library)
  expect(loaded).toContain(found.loader)
  expect(found.platform).toBe(process.arch === 'x64' ? 'linux/amd64' : 'linux/arm64')
})

it('a script is not a program', () => {
  expect(readElf(Buffer.from('#!/bin/sh\n'.repeat(20)))).toBeUndefined()
})
