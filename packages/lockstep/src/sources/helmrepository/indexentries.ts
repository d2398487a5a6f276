/**
 * `index.yaml` of a Helm repository. It may have tens of MiB, and one chart of it is wanted: it is read line by line as it
 * arrives, and of each version only what leads to its archive is kept.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, isArray, isString, type JsonValue, parseYamlStream, YamlError } from '@lockstep/kube/object'
import { parseVersion } from '../intake/semverrange.ts'

export interface ChartEntry {
  readonly version: string
  /** As the index has it: hex, or `sha256:` and hex. */
  readonly digest?: string
  readonly urls: readonly string[]
}

export type IndexEntries = ReadonlyMap<string, readonly ChartEntry[]>

export const MAX_INDEX_BYTES = 64 * 1024 * 1024
/** JSON has to be read as a whole. */
const MAX_JSON_BYTES = 16 * 1024 * 1024
const MAX_LINE = 1024 * 1024
/** Of what is kept of one version. */
const MAX_KEPT = 64 * 1024

/** A limit that the index exceeds, or an invalid text. */
export type IndexProblem = { readonly limit: string } | { readonly problem: string }

/**
 * The versions of these charts; one that the index does not have is there, with none. The problem is for people.
 * @throws StreamBroken
 */
export async function readIndexEntries(
  pieces: AsyncIterable<Uint8Array>,
  charts: ReadonlySet<string>,
): Promise<Result<IndexEntries, IndexProblem>> {
  const decoder = new TextDecoder()
  const lines = new IndexLines(charts)
  let json: string[] | undefined
  let [size, rest] = [0, '']
  for await (const piece of pieces) {
    const isFirst = size === 0
    size += piece.length
    if (size > MAX_INDEX_BYTES) return err({ limit: '64 MiB' })
    const text = decoder.decode(piece, { stream: true })
    if (isFirst && /^\s*\{/.test(text)) json = []
    if (json) {
      if (size > MAX_JSON_BYTES) return err({ limit: '16 MiB of JSON (YAML: 64 MiB)' })
      json.push(text)
      continue
    }
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > MAX_LINE) return err({ limit: '1 MiB in a line' })
    for (const line of parts) lines.take(line)
    if (lines.problem !== undefined) return err({ problem: lines.problem })
  }
  if (json) return entriesOfJson(json.join(''), charts)
  lines.take(rest)
  const end = lines.end()
  return end.ok ? end : err({ problem: end.error })
}

function entriesOfJson(text: string, charts: ReadonlySet<string>): Result<IndexEntries, IndexProblem> {
  let json: JsonValue
  try {
    json = JSON.parse(text) as JsonValue
  } catch {
    return err({ problem: 'the JSON is not complete' })
  }
  const of = (chart: string): ChartEntry[] => {
    const all = at(json, 'entries', chart)
    return isArray(all) ? all.flatMap((item) => entryOf(item) ?? []) : []
  }
  return ok(new Map([...charts].map((chart) => [chart, of(chart)])))
}

/** Undefined: it names no version, and is passed over. */
function entryOf(item: JsonValue | undefined): ChartEntry | undefined {
  const [version, digest, urls] = ['version', 'digest', 'urls'].map((key) => at(item, key))
  if (!isString(version) || !parseVersion(version)) return undefined
  return {
    version,
    urls: isArray(urls) ? urls.filter(isString) : [],
    ...(digest === undefined || digest === null || digest === '' ? {} : { digest: String(digest) }),
  }
}

const KEPT: ReadonlySet<string> = new Set(['version', 'digest', 'urls'])
/** `key:`, `"key":`, and what follows it. */
const KEY = /^\s*(?:"([^"]*)"|'([^']*)'|([^\s"'#-][^:#]*?))\s*:(?:\s+(.*))?$/
const NOTHING = /^(#.*)?$/

/**
 * Block mappings as `helm repo index` writes them: `entries:`, charts below it, versions as items, their fields. What a line
 * belongs to is told from how deep it stands.
 */
class IndexLines {
  problem: string | undefined
  private readonly found: Map<string, ChartEntry[]>
  private place: 'outside' | 'inside' = 'outside'
  private seen = false
  private charts: number | undefined
  private chart: string | undefined
  private items: number | undefined
  private fields: number | undefined
  private keeps = false
  private kept: string[] = []

  constructor(charts: ReadonlySet<string>) {
    this.found = new Map([...charts].map((chart) => [chart, []]))
  }

  take(raw: string): void {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    const depth = depthOf(line)
    if (depth === line.length || line[depth] === '#') return
    const isItem = line[depth] === '-'
    if (depth === 0 && !isItem) this.top(line)
    else if (this.place === 'inside') this.below(line, depth, isItem)
  }

  end(): Result<IndexEntries, string> {
    this.flush()
    if (this.problem !== undefined) return err(this.problem)
    return this.seen ? ok(this.found) : err('no entries: not an index of a Helm repository')
  }

  private top(line: string): void {
    this.flush()
    this.chart = undefined
    this.place = 'outside'
    const [key, value] = keyOf(line) ?? []
    if (key !== 'entries') return
    this.seen = true
    if (value === '{}') return
    if (!NOTHING.test(value!))
      this.problem = 'has entries that are no block of lines; write it with helm repo index'
    this.place = 'inside'
  }

  private below(line: string, depth: number, isItem: boolean): void {
    this.charts ??= depth
    if (depth === this.charts && !isItem) this.begin(line)
    else if (this.chart !== undefined) this.inside(line, depth)
  }

  private begin(line: string): void {
    this.flush()
    this.items = undefined
    const [key, value] = keyOf(line) ?? []
    this.chart = key !== undefined && this.found.has(key) ? key : undefined
    if (this.chart !== undefined && value !== '[]' && !NOTHING.test(value!))
      this.problem = flowText(this.chart)
  }

  private inside(line: string, depth: number): void {
    const isItem = line[depth] === '-' && (line[depth + 1] === ' ' || line.length === depth + 1)
    this.items ??= isItem ? depth : undefined
    if (isItem && depth === this.items) {
      this.flush()
      const bare = `${line.slice(0, depth)} ${line.slice(depth + 1)}`
      const inner = depthOf(bare)
      if (bare[inner] === '{') this.problem = flowText(this.chart!)
      else if (inner < bare.length) this.field(bare, inner)
      return
    }
    this.field(line, depth)
  }

  private field(line: string, depth: number): void {
    this.fields ??= depth
    if (depth === this.fields && line[depth] !== '-') this.keeps = KEPT.has(keyOf(line)?.[0] ?? '')
    if (this.keeps) this.kept.push(line)
  }

  /** One version is whole. One that cannot be read hurts no other. */
  private flush(): void {
    const text = this.kept.join('\n')
    this.kept = []
    this.fields = undefined
    this.keeps = false
    if (this.chart === undefined || text === '' || text.length > MAX_KEPT) return
    try {
      const entry = entryOf(parseYamlStream(text)[0])
      if (entry) this.found.get(this.chart)!.push(entry)
    } catch (e) {
      if (!(e instanceof YamlError)) throw e
    }
  }
}

const flowText = (chart: string): string =>
  `has entries of ${chart} that are no block of lines; write it with helm repo index`

function depthOf(line: string): number {
  let depth = 0
  while (line.charCodeAt(depth) === 32) depth++
  return depth
}

function keyOf(line: string): readonly [key: string, value: string] | undefined {
  const m = KEY.exec(line)
  return m ? [m[1] ?? m[2] ?? m[3]!, m[4]?.trim() ?? ''] : undefined
}
