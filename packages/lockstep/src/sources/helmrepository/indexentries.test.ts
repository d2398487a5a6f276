import { describe, expect, it } from 'vitest'
import { TestChartRepository } from '../../../../../test/charts/chartservers.ts'
import { type ChartEntry, MAX_INDEX_BYTES, readIndexEntries } from './indexentries.ts'

const encoder = new TextEncoder()

async function* inPieces(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = encoder.encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(
  text: string,
  chart = 'web',
  size = 7,
): Promise<readonly ChartEntry[] | string | undefined> {
  const found = await readIndexEntries(inPieces(text, size), new Set([chart]))
  if (found.ok) return found.value.get(chart)
  return 'problem' in found.error ? found.error.problem : found.error.limit
}

function repository(): TestChartRepository {
  const r = new TestChartRepository()
  r.add('api', '1.0.0')
  r.add('web', '1.2.3')
  r.add('web', '1.2.4', { digest: undefined, urls: ['https://cdn.example.com/web.tgz', 'web.tgz'] })
  r.add('worker', '1.0.0')
  return r
}

describe('an index', () => {
  it.each([1, 7, 64, 100_000])('is read as it comes, in pieces of %i bytes', async (size) => {
    const found = (await read(repository().index, 'web', size)) as ChartEntry[]
    expect(found.map((e) => e.version)).toEqual(['1.2.3', '1.2.4'])
    expect(found[0]).toMatchObject({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      urls: ['web-1.2.3.tgz'],
    })
    expect(found[1]).toEqual({ version: '1.2.4', urls: ['https://cdn.example.com/web.tgz', 'web.tgz'] })
  })

  it('has none of a chart that it does not name', async () => {
    expect(await read(repository().index, 'we')).toEqual([])
    expect(await read('apiVersion: v1\nentries: {}\n')).toEqual([])
    expect(await read('apiVersion: v1\nentries:\n  web: []\n')).toEqual([])
  })

  it('may be written in other ways: deeper, quoted, with comments and with CRLF', async () => {
    const text = [
      '# charts',
      '---',
      'entries:',
      '    "web":',
      '        # the newest',
      '        - version: "1.2.3"',
      "          'digest': 'sha256:aa'",
      '          urls: [a.tgz, "b.tgz"]',
      '          dependencies:',
      '            - name: db',
      '              version: 9.9.9',
      '              urls: [no.tgz]',
      '        -',
      '          version: >-',
      '            1.2.4',
      '    other:',
      '        - version: 3.0.0',
      'generated: now',
    ].join('\r\n')
    expect(await read(text)).toEqual([
      { version: '1.2.3', digest: 'sha256:aa', urls: ['a.tgz', 'b.tgz'] },
      { version: '1.2.4', urls: [] },
    ])
  })

  it('may be JSON', async () => {
    const json = JSON.stringify({
      entries: { web: [{ version: '1.0.0', urls: ['a.tgz'], digest: null }, {}] },
    })
    expect(await read(json)).toEqual([{ version: '1.0.0', urls: ['a.tgz'] }])
    expect(await read(json.slice(0, -1))).toBe('the JSON is not complete')
  })

  it('with an entry that is odd has all others', async () => {
    const odd = ['version: 1.10', 'version: latest', 'version: [', 'digest: a', 'version: *x'].map(
      (l) => `  - ${l}`,
    )
    const text = ['entries:', '  web:', ...odd, '  - version: 1.0.0', '    urls: [a.tgz]'].join('\n')
    expect(await read(text)).toEqual([{ version: '1.0.0', urls: ['a.tgz'] }])
  })

  it('that is none is refused', async () => {
    expect(await read('<html></html>')).toBe('no entries: not an index of a Helm repository')
    expect(await read('')).toBe('no entries: not an index of a Helm repository')
    expect(await read('entries: {web: []}\n')).toMatch(/no block of lines/)
    expect(await read('entries:\n  web: [{version: 1.0.0}]\n')).toMatch(/entries of web that are no block/)
    expect(await read('entries:\n  web:\n  - {version: 1.0.0}\n')).toMatch(/entries of web that are no block/)
  })

  it('is given up at its limits', async () => {
    async function* endless(piece: string): AsyncIterable<Uint8Array> {
      const bytes = encoder.encode(piece)
      for (let sent = 0; sent <= MAX_INDEX_BYTES + bytes.length; sent += bytes.length) yield bytes
      throw new Error('nobody stops it')
    }
    const long = await readIndexEntries(endless(`# ${'x'.repeat(65_000)}\n`), new Set(['web']))
    expect(long).toEqual({ ok: false, error: { limit: '64 MiB' } })
    const line = await readIndexEntries(endless('x'.repeat(65_000)), new Set(['web']))
    expect(line).toEqual({ ok: false, error: { limit: '1 MiB in a line' } })
    const json = await readIndexEntries(endless(`{${' '.repeat(65_000)}`), new Set(['web']))
    expect(json).toEqual({ ok: false, error: { limit: '16 MiB of JSON (YAML: 64 MiB)' } })
  })

  it('of 60 MB and 20,000 versions leaves only what leads to them', async () => {
    const filler = `    description: ${'x'.repeat(2800)}\n`
    async function* large(): AsyncIterable<Uint8Array> {
      yield encoder.encode('entries:\n  web:\n')
      for (let i = 0; i < 20_000; i++)
        yield encoder.encode(
          `  - name: web\n${filler}    digest: ${'a'.repeat(64)}\n    urls:\n    - w.tgz\n    version: 1.0.${i}\n`,
        )
    }
    const before = process.memoryUsage().rss
    const found = await readIndexEntries(large(), new Set(['web']))
    expect(found.ok && found.value.get('web')).toHaveLength(20_000)
    expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(100)
  }, 60_000)
})
