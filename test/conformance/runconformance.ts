import { existsSync, writeFileSync } from 'node:fs'
import type { CaseResult } from './conformancekind.ts'
import { kinds } from './kinds.ts'
import { type LoadedCases, load } from './loadcases.ts'

const USAGE = `usage: npm run conformance -- ${Object.keys(kinds).join('|')} PATH [--filter REGEX] [--json FILE]`
const MAX_LINES = 40

interface ConformanceOptions {
  readonly kind: string
  readonly path: string
  readonly filter: RegExp | undefined
  readonly json: string | undefined
}

/** Runs conformance data and reports. Exit code: 0 all passed, 1 some failed, 2 the input is bad. */
export async function runConformance(
  args: readonly string[],
  print: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  const options = parseArgs(args)
  const kind = typeof options === 'string' ? undefined : kinds[options.kind]
  if (typeof options === 'string' || kind === undefined) {
    complain(
      `conformance: ${typeof options === 'string' ? options : `unknown kind "${options.kind}"`}\n${USAGE}`,
    )
    return 2
  }
  if (!existsSync(options.path)) {
    complain(`conformance: ${options.path}: no such file or folder`)
    return 2
  }
  const { cases, problems } = load(kind, options.path)
  for (const p of problems) complain(`conformance: ${p}`)
  if (problems.length > 0) return 2
  const chosen = cases.filter((c) => options.filter?.test(c.id) ?? true)
  const results = await runAll(chosen, print)
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
  const failed = results.filter((r) => r.differences.length > 0).length
  if (results.length === 0) complain(`conformance: ${options.path}: no case to run`)
  print(`${results.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 1 : results.length === 0 ? 2 : 0
}

interface CaseCounts extends CaseResult {
  readonly id: string
}

async function runAll(cases: LoadedCases['cases'], print: (line: string) => void): Promise<CaseCounts[]> {
  const results: CaseCounts[] = []
  const messages = new Map<string, { equal: number; all: number }>()
  for (const c of cases) {
    if (c.aside !== undefined) print(`not compared: ${c.id}: ${c.aside}`)
    if (!('run' in c)) continue
    const outcome = await c.run()
    const hasMessages = 'differences' in outcome
    const { differences, said }: CaseResult = hasMessages ? outcome : { differences: outcome }
    results.push({ id: c.id, differences, ...(said ? { said } : {}) })
    if (hasMessages) {
      const { equal, all } = messages.get(c.file) ?? { equal: 0, all: 0 }
      const isEqual = said !== undefined && said.expected === said.got
      messages.set(c.file, { equal: equal + (isEqual ? 1 : 0), all: all + (said ? 1 : 0) })
    }
    if (differences.length === 0) continue
    print(`FAIL ${c.id}`)
    const shown = differences.length > MAX_LINES ? differences.slice(0, MAX_LINES - 1) : differences
    for (const line of shown) print(`  ${line}`)
    if (shown.length < differences.length) print(`  … ${differences.length - shown.length} more`)
  }
  for (const [file, { equal, all }] of messages) {
    const of = messages.size > 1 ? `${file}: ` : ''
    print(`${of}messages: ${equal} of ${all} equal`)
  }
  return results
}

function parseArgs(args: readonly string[]): ConformanceOptions | string {
  const positional: string[] = []
  let filter: RegExp | undefined
  let json: string | undefined
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string
    if (arg !== '--filter' && arg !== '--json') {
      if (arg.startsWith('--')) return `unknown option ${arg}`
      positional.push(arg)
      continue
    }
    const value = args[++i]
    if (value === undefined) return `${arg} needs a value`
    if (arg === '--json') json = value
    else {
      try {
        filter = new RegExp(value)
      } catch (e) {
        return `--filter: ${(e as Error).message}`
      }
    }
  }
  const [kind, path, ...rest] = positional
  if (kind === undefined || path === undefined || rest.length > 0) return 'a kind and one path are needed'
  return { kind, path, filter, json }
}
