/** Controllers as processes of their own, so that one can be killed as any process can: nothing of it is left but what is stored. */
import type { Env } from '@lockstep/kube/env'

/** How this program is started once more. */
export interface ProgramStart {
  /** Of Node. */
  readonly node: string
  /** The script that Node runs. */
  readonly script: string
}

/** Nothing of the story takes so long. */
const LONGEST_MS = 120_000
const MOST_OUTPUT = 1 << 20

interface ControllerProcess {
  kill(): void
  /** Resolves once the process is no more. */
  readonly ended: Promise<unknown>
}

/** One controller after the other. `dir`: a folder for the kubeconfig, and their home. */
export class ControllerProcesses {
  private readonly env: Env
  private readonly program: ProgramStart
  private readonly dir: string
  private readonly all: ControllerProcess[] = []

  constructor(env: Env, program: ProgramStart, dir: string) {
    this.env = env
    this.program = program
    this.dir = dir
  }

  get starts(): number {
    return this.all.length
  }

  /** `lockstep controller` on the hub of a kubeconfig, with a Git host on this machine. It need not ask who leads: it is alone. */
  async start(kubeconfig: string, allowHost: string): Promise<void> {
    const path = `${this.dir}/kubeconfig`
    await this.env.files.writeAtomic(path, kubeconfig, 0o600)
    const { node, script } = this.program
    const args = [
      script,
      'controller',
      '--kubeconfig',
      path,
      '--leader-elect=false',
      '--allow-host',
      allowHost,
    ]
    const end = new AbortController()
    const ended = this.env.processes.run(node, args, {
      env: { HOME: this.dir },
      cwd: this.dir,
      signal: end.signal,
      timeoutMs: LONGEST_MS,
      maxOutput: MOST_OUTPUT,
    })
    // A process is ended by SIGKILL, and all that it has started with it.
    this.all.push({ kill: () => end.abort(), ended })
  }

  /** Resolves once the last one is dead. */
  async kill(): Promise<void> {
    const last = this.all.at(-1)
    last?.kill()
    await last?.ended
  }

  async stop(): Promise<void> {
    for (const p of this.all) p.kill()
    await Promise.all(this.all.map((p) => p.ended))
  }
}
