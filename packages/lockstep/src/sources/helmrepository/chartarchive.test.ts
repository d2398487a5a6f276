import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { chartArchive, paxOf, type TarFile, tarOf, tgzOf } from '../../../../../test/charts/archive.ts'
import { identityProblem, unpackChartArchive } from './chartarchive.ts'

function pathsOf(archive: Uint8Array): string[] | string {
  const tree = unpackChartArchive(archive)
  return tree.ok ? tree.value.files.map((f) => f.path) : tree.error
}

const textOf = (archive: Uint8Array, path: string): string | undefined => {
  const tree = unpackChartArchive(archive)
  const file = tree.ok ? tree.value.files.find((f) => f.path === path) : undefined
  return file && new TextDecoder().decode(file.bytes)
}

const good: TarFile = { name: 'web/Chart.yaml', content: 'name: web\n' }

describe('a chart that is packed', () => {
  it('is the files below its directory', () => {
    const archive = chartArchive('web', '1.0.0', { 'templates/a.yaml': 'a: 1', 'values.yaml': '' })
    expect(pathsOf(archive)).toEqual(['Chart.yaml', 'templates/a.yaml', 'values.yaml'])
    expect(textOf(archive, 'templates/a.yaml')).toBe('a: 1')
  })

  it('may have directories, ./ in front, long names of GNU and PAX, and what git writes about itself', () => {
    const long = `web/templates/${'x'.repeat(120)}.yaml`
    const other = `web/templates/${'ü'.repeat(70)}.yaml`
    const archive = tgzOf([
      { name: 'pax_global_header', type: 'g', content: paxOf('comment', '9b1c') },
      { name: './', type: '5' },
      { name: './web/', type: '5' },
      { ...good, name: './web/Chart.yaml' },
      { name: '././@LongLink', type: 'L', content: `${long}\0` },
      { name: long, content: 'a: 1' },
      { name: 'PaxHeaders/x', type: 'x', content: paxOf('mtime', '1.5') + paxOf('path', other) },
      { name: 'web/short', content: 'b: 2' },
      { name: 'web/last', content: 'c: 3' },
    ])
    expect(pathsOf(archive)).toEqual([
      'Chart.yaml',
      'last',
      `templates/${'x'.repeat(120)}.yaml`,
      `templates/${'ü'.repeat(70)}.yaml`,
    ])
    expect(textOf(archive, `templates/${'ü'.repeat(70)}.yaml`)).toBe('b: 2')
  })

  it.each<[string, TarFile[], string]>([
    ['a way out', [good, { name: 'web/../../x' }], 'entry 2 web/../../x: leads out of the archive'],
    [
      'a way out by PAX',
      [good, { name: 'x', type: 'x', content: paxOf('path', '../x') }, { name: 'web/a' }],
      'entry 2 ../x: leads out of the archive',
    ],
    [
      'a way out by a long name',
      [good, { name: 'l', type: 'L', content: '/etc/passwd\0' }, { name: 'web/a' }],
      'entry 2 /etc/passwd: is absolute',
    ],
    ['an absolute path', [good, { name: '/etc/passwd' }], 'entry 2 /etc/passwd: is absolute'],
    ['a drive', [{ name: 'C:/web' }], 'entry 1 C:/web: is absolute'],
    ['a backslash', [good, { name: 'web\\..\\..\\x' }], 'entry 2 web\\..\\..\\x: has a backslash'],
    ['a control character', [good, { name: 'web/a\nb' }], 'entry 2 web/a?b: has a control character'],
    [
      'a symbolic link',
      [good, { name: 'web/l', type: '2', link: '/etc' }],
      'entry 2 web/l: is a symbolic link; only files and directories are supported',
    ],
    [
      'a hard link',
      [good, { name: 'web/l', type: '1', link: 'web/Chart.yaml' }],
      'entry 2 web/l: is a hard link; only files and directories are supported',
    ],
    [
      'a device',
      [good, { name: 'web/d', type: '3' }],
      'entry 2 web/d: is a device; only files and directories are supported',
    ],
    [
      'a pipe',
      [good, { name: 'web/p', type: '6' }],
      'entry 2 web/p: is a pipe; only files and directories are supported',
    ],
    [
      'another type',
      [good, { name: 'web/s', type: 'S' }],
      'entry 2 web/s: is of type "S"; only files and directories are supported',
    ],
    [
      'holes',
      [good, { name: 'x', type: 'x', content: paxOf('GNU.sparse.major', '1') }, { name: 'web/a' }],
      'entry 2 x: is a file with holes',
    ],
    [
      'a path for all',
      [{ name: 'g', type: 'g', content: paxOf('path', 'web/a') }, good],
      'entry 1 g: has a path for all entries',
    ],
    [
      'a record that lies',
      [{ name: 'x', type: 'x', content: '99 path=a\n' }, good],
      'entry 1 x: has records that cannot be read',
    ],
    [
      'a size that lies',
      [good, { name: 'web/a', size: 1e9 }],
      'entry 2 web/a: is truncated, or claims a size above that of the archive',
    ],
    [
      'a size of PAX that lies',
      [good, { name: 'x', type: 'x', content: paxOf('size', '99999999') }, { name: 'web/a' }],
      'entry 2 web/a: is truncated, or claims a size above that of the archive',
    ],
    [
      'two directories',
      [good, { name: 'other/Chart.yaml' }],
      'entry 2 other/Chart.yaml: is outside of web, the directory of the chart',
    ],
    ['no directory', [{ name: 'Chart.yaml' }], 'entry 1 Chart.yaml: is outside of the directory of a chart'],
    [
      'a file twice',
      [good, { ...good, name: 'web//Chart.yaml' }],
      'entry 2 web//Chart.yaml: duplicate entry',
    ],
    [
      'a file that is a directory',
      [{ name: 'web/a' }, { name: 'web/a/b/c' }],
      'a/b/c: a is a file and a directory',
    ],
    [
      'a directory with content',
      [{ name: 'web/', type: '5', content: 'x' }],
      'entry 1 web/: is a directory with content',
    ],
  ])('with %s is refused', (_, files, problem) => {
    expect(pathsOf(tgzOf(files))).toBe(problem)
  })

  it('with 10,001 entries is refused, with 10,000 it is not', () => {
    const files = Array.from({ length: 10_000 }, (_, i) => ({ name: `web/${i}` }))
    expect(pathsOf(tgzOf(files))).toHaveLength(10_000)
    expect(pathsOf(tgzOf([...files, good]))).toBe('has more than 10,000 entries')
  })

  it('that is no gzip, damaged or cut off is refused', () => {
    const archive = chartArchive('web', '1.0.0')
    const damaged = archive.slice()
    damaged[archive.length - 6]! ^= 1
    const tar = tarOf([good])
    tar[0]! ^= 1
    expect(pathsOf(new Uint8Array())).toBe('is not a gzip archive')
    expect(pathsOf(tarOf([good]))).toBe('is not a gzip archive')
    expect(pathsOf(archive.subarray(0, -20))).toBe('is damaged or cut off')
    expect(pathsOf(damaged)).toBe('is damaged or cut off')
    expect(pathsOf(gzipSync(tar))).toBe('entry 1: its header is damaged')
    expect(pathsOf(gzipSync(tarOf([good, good]).subarray(0, 1030)))).toBe('is cut off after entry 1')
  })

  it('that bursts is given up at the limit, and costs no more than that', () => {
    const bomb = gzipSync(Buffer.concat([randomBytes(1024 * 1024), new Uint8Array(512 * 1024 * 1024)]), {
      level: 1,
    })
    const before = process.memoryUsage().rss
    expect(pathsOf(bomb)).toBe('inflates to more than 64 MiB')
    expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(300)
    expect(pathsOf(gzipSync(new Uint8Array(8 * 1024 * 1024)))).toBe(
      'inflates to more than 100 times its size',
    )
  }, 60_000)
})

describe('who a chart says it is', () => {
  const problemOf = (archive: Uint8Array): string | undefined => {
    const tree = unpackChartArchive(archive)
    return tree.ok ? identityProblem(tree.value, 'web', '1.0.0') : tree.error
  }

  it('has to be who was asked for', () => {
    expect(problemOf(chartArchive('web', '1.0.0'))).toBeUndefined()
    expect(problemOf(chartArchive('api', '1.0.0'))).toBe('Chart.yaml: has name api, requested was web')
    expect(problemOf(chartArchive('web', '1.0.1'))).toBe('Chart.yaml: has version 1.0.1, requested was 1.0.0')
    expect(problemOf(chartArchive('..', '1.0.0'))).toBe('entry 1 ../Chart.yaml: leads out of the archive')
  })

  it('has to be there, and to be read', () => {
    expect(problemOf(tgzOf([{ name: 'web/values.yaml' }]))).toBe(
      'has no Chart.yaml, so it is not a Helm chart',
    )
    expect(problemOf(tgzOf([{ name: 'web/Chart.yaml', content: '[' }]))).toBe('Chart.yaml: is invalid YAML')
  })
})
