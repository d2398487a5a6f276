/** The state before a change: another folder, or the same paths at a revision of Git. */
import { basename, dirname, join } from 'node:path'
import type { Result } from '@lockstep/kube/env'
import type { FluxFile } from '../../../../tools/flux/index.ts'
import { pathFrom } from '../../documents/index.ts'
import { type CliFailure, type CommandContext, failed } from '../../index.ts'
import { chooseManifests } from './choosemanifests.ts'
import { readPaths } from './readpaths.ts'

const GIT = 'git:'

export async function readBefore(
  c: CommandContext,
  before: string,
  paths: readonly string[],
): Promise<Result<readonly FluxFile[], CliFailure>> {
  if (!before.startsWith(GIT)) {
    const read = await readPaths(c, [before])
    const [bad] = read.unreadable
    return bad
      ? failed('E_FILE_READ', { path: bad.file, problem: bad.problem })
      : { ok: true, value: read.files }
  }
  const revision = before.slice(GIT.length)
  // What begins with a dash would be a flag of git.
  if (revision === '' || revision.startsWith('-') || paths.includes('-'))
    return failed('E_USAGE', {
      problem: paths.includes('-')
        ? 'standard input has no state before'
        : `--before ${before}: no such revision`,
      suggestion: 'for example: --before git:HEAD~1, with files or folders',
    })
  const out: FluxFile[] = []
  for (const path of paths) {
    const found = await filesAt(c, revision, path)
    if (!found.ok) return found
    out.push(...found.value)
  }
  return { ok: true, value: out }
}

interface Blob {
  readonly id: string
  /** From the folder in which git runs. */
  readonly path: string
}

/** The manifests below a path, as they were: two runs of git, however many files. */
async function filesAt(
  c: CommandContext,
  revision: string,
  path: string,
): Promise<Result<FluxFile[], CliFailure>> {
  const full = pathFrom(c, path)
  const isFolder = (await c.env.files.list(full)).ok
  const git = gitIn(c, isFolder ? full : dirname(full))
  const listed = await git(['ls-tree', '-r', '-z', revision, '--', isFolder ? '.' : basename(full)])
  if (!listed.ok) return listed
  const blobs = new TextDecoder().decode(listed.value).split('\0').flatMap(blobOf)
  const chosen = new Set(
    isFolder ? chooseManifests(blobs.map((b) => b.path)).files : blobs.map((b) => b.path),
  )
  const wanted = blobs.filter((b) => chosen.has(b.path))
  if (wanted.length === 0) return { ok: true, value: [] }
  const read = await git(['cat-file', '--batch'], wanted.map((b) => `${b.id}\n`).join(''))
  if (!read.ok) return read
  const texts = contentsOf(read.value)
  const named = (b: Blob): string => `${GIT}${revision}:${isFolder ? join(path, b.path) : path}`
  return { ok: true, value: wanted.map((b, i) => ({ file: named(b), text: texts[i] ?? '' })) }
}

/** `100644 blob <id>\t<path>`; links and submodules are no files. */
function blobOf(line: string): Blob[] {
  const found = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(line)
  return found ? [{ id: found[1]!, path: found[2]! }] : []
}

/** `<id> blob <bytes>\n<content>\n`, one behind the other. */
function contentsOf(output: Uint8Array): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const out: string[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at)
    const size = Number(decoder.decode(output.subarray(at, end)).split(' ')[2])
    out.push(decoder.decode(output.subarray(end + 1, end + 1 + size)))
    at = end + 1 + size + 1
  }
  return out
}

/** Reads only: no hook, no daemon, nothing is fetched. */
function gitIn(c: CommandContext, folder: string) {
  return async (args: readonly string[], stdin?: string): Promise<Result<Uint8Array, CliFailure>> => {
    const settings = [
      '-c',
      'core.fsmonitor=false',
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'protocol.allow=never',
    ]
    const done = await c.env.processes.run('git', ['-C', folder, ...settings, ...args], {
      env: {
        HOME: c.host.home,
        LC_ALL: 'C',
        GIT_TERMINAL_PROMPT: '0',
        GIT_NO_LAZY_FETCH: '1',
        GIT_OPTIONAL_LOCKS: '0',
      },
      timeoutMs: 60_000,
      maxOutput: 512 * 1024 * 1024,
      signal: c.signal,
      ...(stdin === undefined ? {} : { stdin }),
    })
    if (done.ok && done.value.code === 0) return { ok: true, value: done.value.stdout }
    if (!done.ok && done.error.kind === 'ToolMissing')
      return failed('E_TOOL_MISSING', { program: 'git', what: '--before git:REF' })
    const problem = done.ok ? (done.value.stderr.trim().split('\n').at(-1) ?? '') : done.error.kind
    return failed('E_GIT', { folder, problem: problem.replace(/^fatal: /, '') })
  }
}
