/** helm and git where no program can be started: helm prints the templates of a chart as they are, git refuses each host. */
import type { Env, FileEntry } from '../../packages/kube/src/env/env.ts'
import type { ProcessExit, Processes } from '../../packages/kube/src/env/processes.ts'
import { err, ok } from '../../packages/kube/src/env/result.ts'

const exit = (code: number, stdout: string, stderr = ''): ProcessExit => ({
  code,
  stdout: new TextEncoder().encode(stdout),
  stderr,
})

/** The line that `known_hosts` needs. */
export const HOST_KEY = 'git.test ssh-ed25519 AAAA'

export const simPrograms = (env: Pick<Env, 'files' | 'random'>): Processes => ({
  find: async (program) => (program === 'helm' ? '/bin/helm' : undefined),
  run: async (program, args, options) => {
    if (program === '/bin/helm') return ok(await templated(env, args[2] ?? ''))
    if (program !== 'git') return err({ kind: 'ToolMissing', program })
    const hosts = await textOf(env, `${options.env.HOME}/known_hosts`)
    const refusal = hosts.includes(HOST_KEY)
      ? 'ERROR: Repository not found.'
      : 'Host key verification failed.'
    return ok(exit(128, '', refusal))
  },
})

const textOf = async ({ files }: Pick<Env, 'files'>, path: string): Promise<string> => {
  const found = await files.read(path)
  return found.ok ? new TextDecoder().decode(found.value) : ''
}

async function templated(env: Pick<Env, 'files' | 'random'>, chart: string): Promise<ProcessExit> {
  const names = async (folder: string): Promise<readonly string[]> => {
    const found = await env.files.list(`${chart}/${folder}`)
    return found.ok ? found.value.map(({ name }: FileEntry) => name) : []
  }
  const about = await textOf(env, `${chart}/Chart.yaml`)
  const [needed, packed] = [
    [...about.matchAll(/^ {2}- name: (\S+)/gm)].map((m) => m[1]!),
    await names('charts'),
  ]
  const missing = needed.filter((name) => !packed.includes(name))
  if (missing.length > 0)
    return exit(
      1,
      '',
      `Error: found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}\n`,
    )
  const name = /^name: (\S+)/m.exec(about)?.[1]
  const parts: string[] = []
  for (const file of await names('templates')) {
    const text = await textOf(env, `${chart}/templates/${file}`)
    const made = text.replace(/\{\{ randAlphaNum \d+ \}\}/g, () => env.random.uuid())
    parts.push(`---\n# Source: ${name}/templates/${file}\n${made}`)
  }
  return exit(0, parts.join(''))
}
